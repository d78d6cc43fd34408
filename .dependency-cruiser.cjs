/**
 * Who may import whom. Data flows one way, and so do imports:
 * main → cli, jobs, queue, console, notify, simulator → sync → extract, normalize, load, ledger, bi → the ground
 * (platform, streams, series, postgres, error-codes and the single files of src).
 */
/** What stands alone in src: errors, the log, clocks and their like. */
const singleFiles = '^src/(?!main[.])[^/]+[.]ts$';
const ground = `^src/(platform|streams|series|postgres|error-codes)/|${singleFiles}`;
const stages = '^src/(extract|normalize|load|ledger|bi)/';
const upper = '^src/(cli|queue|console|notify|simulator)/|^jobs/|^src/main[.]ts$';
const program = '^(src|jobs)/';
/** Scripts that people run by name: nothing imports them. */
const page = '^src/console/page/';
/** What the page shares with the service, so that both say the same. */
const englishWords = '^src/sync/(count-text|unread-series|status/problem-words)[.]ts$';
const entryPoints = `^src/main[.]ts$|^src/[^/]+/generate[^/]*[.]ts$|^jobs/[^/]+[.]ts$|[.]d[.]ts$|${page}(main[.]tsx|vite[.]config[.]ts)$`;

/** A type costs nothing at run time and ties no life cycles together. */
const realImports = { dependencyTypesNot: ['type-only'] };

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Files that need each other cannot be read, tested or moved apart.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports and that imports nothing is left over, or not yet wired.',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: entryPoints },
      to: {},
    },
    {
      name: 'no-unused-modules',
      comment: 'What no entry point reaches is dead, even if tests keep it warm.',
      severity: 'error',
      from: { path: entryPoints },
      to: { reachable: false, path: '^src/', pathNot: entryPoints },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that cannot be found fails only when it runs.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'nothing-imports-main',
      comment: 'main.ts owns the process (signals, exit); importing it would start it.',
      severity: 'error',
      from: {},
      to: { path: '^src/main[.]ts$' },
    },
    {
      name: 'product-without-tests',
      comment: 'The product must work where the tests are not shipped.',
      severity: 'error',
      from: { path: program },
      to: { path: '^test/' },
    },
    {
      name: 'product-without-dev-dependencies',
      comment:
        'These packages are not there after `npm install --omit=dev`; the generators run in development only.',
      severity: 'error',
      from: { path: program, pathNot: `^src/[^/]+/generate[^/]*[.]ts$|${page}` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ground-is-lowest',
      comment:
        'What everything stands on knows nothing of what stands on it; of the configuration it sees types only.',
      severity: 'error',
      from: { path: ground },
      to: { path: '^(src|jobs)/', pathNot: `${ground}|^src/config/` },
    },
    {
      name: 'ground-sees-types-of-config',
      comment: 'Options are passed in; code that loads the configuration belongs above.',
      severity: 'error',
      from: { path: `${ground}|${stages}|^src/sync/` },
      to: { path: '^src/config/', ...realImports },
    },
    {
      name: 'series-is-pure',
      comment:
        'Range arithmetic and the dividing reader are proven by tests without any server; so they must stay.',
      severity: 'error',
      from: { path: '^src/series/' },
      to: {
        path: '.',
        pathNot: '^src/(series/|(errors|breaks)[.]ts$)|node_modules/temporal-polyfill/|^util$',
      },
    },
    {
      name: 'config-stands-alone',
      comment: 'The configuration describes the program; it must load without starting any part of it.',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^(src|jobs)/', pathNot: `^src/config/|${ground}` },
    },
    {
      name: 'stages-are-apart',
      comment: 'Only a story in sync/ joins stages; else their order hides in their imports.',
      severity: 'error',
      from: { path: '^src/(extract|normalize|load|ledger|bi)/' },
      to: { path: stages, pathNot: '^src/$1/' },
    },
    {
      name: 'stages-know-no-story',
      comment: 'A stage does one step; who calls it, and when, is not its business.',
      severity: 'error',
      from: { path: stages },
      to: { path: `^src/sync/|${upper}` },
    },
    {
      name: 'only-extract-uses-platform',
      comment:
        'Every request to the platform is made in one stage, so that its load is bounded in one place.',
      severity: 'error',
      from: { path: '^src/(normalize|load|ledger|bi|sync)/' },
      to: { path: '^src/platform/', ...realImports },
    },
    {
      name: 'stories-are-apart',
      comment:
        'A story is read, changed and tested by itself; what two of them need is a selection or a shared file.',
      severity: 'error',
      from: { path: '^src/sync/(directory|history|polls|alarms|selection)/' },
      to: { path: '^src/sync/', pathNot: '^src/sync/([^/]+[.]ts$|$1/|selection/)' },
    },
    {
      name: 'stories-on-top-are-apart',
      comment: 'Backfill, verify and their like use the basic stories, and each other never.',
      severity: 'error',
      from: { path: '^src/sync/(backfill|coverage-map|discover|replay|reset|status|verify|once)/' },
      to: {
        path: '^src/sync/(backfill|coverage-map|discover|replay|reset|status|verify|once)/',
        pathNot: '^src/sync/($1|status)/',
      },
    },
    {
      name: 'shared-files-know-no-story',
      comment: 'What all stories share must not need one of them; of a story it may name a type.',
      severity: 'error',
      from: { path: '^src/sync/[^/]+[.]ts$' },
      to: { path: '^src/sync/[^/]+/', ...realImports },
    },
    {
      name: 'stores-are-apart',
      comment: 'A store is added, changed and removed as one folder.',
      severity: 'error',
      from: { path: '^src/load/stores/([^/]+)/' },
      to: { path: '^src/load/stores/[^/]+/', pathNot: '^src/load/stores/$1/' },
    },
    {
      name: 'stores-are-found-by-the-list',
      comment:
        'Whoever opens a store, or asks which are configured, goes by store-kinds.ts and names none of them.',
      severity: 'error',
      from: { path: program, pathNot: '^src/load/stores/(store-kinds[.]ts$|[^/]+/)' },
      to: { path: '^src/load/stores/[^/]+/' },
    },
    {
      name: 'rows-know-no-store',
      comment: 'Rows and alarms go to Postgres, whatever stores of points there are.',
      severity: 'error',
      from: { path: '^src/load/(rows|alarms|copy)/' },
      to: { path: '^src/load/stores/' },
    },
    {
      name: 'commands-are-apart',
      comment: 'What two commands need is checked, opened, printed or served in a folder of its own.',
      severity: 'error',
      from: { path: '^src/cli/commands/([^/.]+)' },
      to: { path: '^src/cli/commands/', pathNot: '^src/cli/commands/$1(/|[.]ts$)' },
    },
    {
      name: 'parts-know-no-command',
      comment: 'Commands use what is checked, opened, printed and served; never the other way.',
      severity: 'error',
      from: { path: '^src/cli/(checks|open|output|service)/' },
      to: { path: '^src/cli/commands/' },
    },
    {
      name: 'stories-know-no-engine',
      comment: 'A story runs the same from the command line, in the process and on a queue.',
      severity: 'error',
      from: { path: '^src/sync/' },
      to: { path: upper },
    },
    {
      name: 'engines-know-no-story',
      comment:
        'An engine runs what it is given; what that does, and where it is kept, is told by whoever opens it.',
      severity: 'error',
      from: { path: '^src/queue/' },
      to: { path: `${stages}|^src/(sync|cli|console|simulator)/|^jobs/` },
    },
    {
      name: 'simulator-shares-the-contract-only',
      comment: 'A simulator built from the parts of the client would prove the client against itself.',
      severity: 'error',
      from: { path: '^src/simulator/' },
      to: {
        path: '^(src|jobs)/',
        pathNot: `^src/simulator/|^src/platform/(contract|operations|shapes)[.]ts$|${singleFiles}`,
      },
    },
    {
      name: 'simulator-is-started-by-commands',
      comment: 'The product must never need its simulator.',
      severity: 'error',
      from: { path: program, pathNot: '^src/(simulator/|cli/|main[.]ts$)' },
      to: { path: '^src/simulator/' },
    },
    {
      name: 'page-knows-types-only',
      comment:
        'The page runs in a browser. What it shares with the console are the types of the API, and the English words.',
      severity: 'error',
      from: { path: page },
      to: { path: '^(src|jobs)/', pathNot: `${page}|${englishWords}`, ...realImports },
    },
    {
      name: 'english-words-stand-alone',
      comment: 'They are a part of the page, too, which can take nothing else with it.',
      severity: 'error',
      from: { path: englishWords },
      to: { pathNot: englishWords, ...realImports },
    },
    {
      name: 'nothing-imports-the-page',
      comment: 'The page is built by itself. The console serves its files.',
      severity: 'error',
      from: { path: program, pathNot: page },
      to: { path: page },
    },
    {
      name: 'only-queue-knows-bullmq',
      comment: 'Without Redis the same jobs run in the process; nothing else may depend on the engine.',
      severity: 'error',
      from: { path: program, pathNot: '^src/queue/|^jobs/' },
      to: { path: '(^|node_modules/)(bullmq|ioredis|node-cron)(/|$)' },
    },
    {
      name: 'only-console-knows-prometheus',
      comment:
        'Parts tell a plain interface what they do; how that is shown, and what it costs, is decided in one folder.',
      severity: 'error',
      from: { path: program, pathNot: '^src/console/' },
      to: { path: 'node_modules/prom-client/' },
    },
    {
      name: 'only-http-servers-know-fastify',
      comment: 'What listens to a port stands where all of it can be found.',
      severity: 'error',
      from: { path: program, pathNot: '^src/(console|simulator)/' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'only-stores-know-postgres',
      comment: 'SQL stands in four folders, where all of it can be found.',
      severity: 'error',
      from: { path: program, pathNot: '^src/(postgres|load|ledger|bi)/' },
      to: { path: 'node_modules/(@types/)?pg(-copy-streams)?/' },
    },
    {
      name: 'only-its-store-knows-influx',
      comment: "The client's own batching loses data; what it may do is decided in one folder.",
      severity: 'error',
      from: { path: program, pathNot: '^src/load/stores/influx/' },
      to: { path: 'node_modules/@influxdata/' },
    },
    {
      name: 'only-platform-knows-urls',
      comment:
        'One transport, with its limits and its care for secrets; a store of points, webhooks and the traces have their own.',
      severity: 'error',
      from: { path: program, pathNot: '^src/(platform/|notify/|load/stores/[^/]+/|span-exporter[.]ts$)' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'traces-are-loaded-when-on',
      comment: 'OpenTelemetry costs time and memory; a process without traces must not load it.',
      severity: 'error',
      from: { path: program, pathNot: '^src/(open-tracing|span-exporter)[.]ts$' },
      to: {
        path: 'node_modules/@opentelemetry/|^src/(open-tracing|span-exporter)[.]ts$',
        dynamic: false,
        ...realImports,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
