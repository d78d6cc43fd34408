import { sleepOrWake } from '../sleep.ts';
import { showQueues } from './engine-gauges.ts';
import { makeLedgerGauges } from './ledger-metrics.ts';
import type { MetricAbout } from './metric-makers.ts';
import { showHealth, showPeriods, showProcess, showWaiting } from './process-gauges.ts';
import { createPrometheus, type Prometheus } from './prometheus.ts';

interface Section {
  readonly title: string;
  readonly about: string;
  readonly make: (prometheus: Prometheus) => void;
}

const INTRODUCTION = `# Metrics

This page is made from the code by \`npm run metrics\`. With \`console.port\` each process of the service answers \`/metrics\` in the
text format of Prometheus. [operations.md](operations.md#metrics) tells how to scrape them, and what the alerts mean.

- **Roles.** Every role of \`plantsync run\` answers. Counters of work grow in the process that does the work: in \`all\` and \`worker\`.
- **The ledger.** Its numbers are those of all processes together, and every process shows them. \`max without (instance)\` makes one of them.
- **Cost.** The ledger is asked only for a scrape, and at most every 15 s. Gaps are added up once a minute, and take at most 5 % of the time.
- **Unknown.** What is not known has no value. While Postgres is away, a scrape waits 2 s at most, and the numbers of the ledger are absent.
- **Labels.** No label holds the name of an object or person. \`selection\` is the place of the selection under \`runtime\`, from 1 on, or \`alarms\`.
- **Process.** Each process also shows \`process_…\` and \`nodejs_…\`: memory, CPU, event loop lag, garbage collection.
`;

const sections: readonly Section[] = [
  {
    title: 'Health',
    about: 'From the first moment of a process, whatever is away.',
    make(prometheus) {
      showHealth(prometheus, { report: () => ({ ready: false, dependencies: {} }) });
      showWaiting(prometheus, () => new Map());
      showPeriods(prometheus, [], { nowMs: 0, timezone: 'UTC' });
    },
  },
  {
    title: 'The process',
    about: 'Once everything is open. `plantsync_queue_jobs` is there with Redis alone.',
    make(prometheus) {
      // Nothing is scraped here, so nothing of these is asked.
      showProcess(prometheus, {} as never, { leads: () => false, clock: Date.now });
      showQueues({ prometheus, sleep: sleepOrWake }, { describeHealth: async () => ({}) });
    },
  },
  {
    title: 'The ledger',
    about: 'The same in every process.',
    make: makeLedgerGauges,
  },
];

/** Lists the metrics of the service, by section. The first section is the work of a process. */
export function describeMetrics(): { title: string; about: string; metrics: MetricAbout[] }[] {
  const prometheus = createPrometheus({ version: '' });
  let seen = 0;
  const since = () => {
    const fresh = prometheus.list().slice(seen);
    seen += fresh.length;
    return fresh;
  };
  const work = { title: 'Work', about: 'Counted since the start of the process.', metrics: since() };
  return [
    work,
    ...sections.map(({ title, about, make }) => {
      make(prometheus);
      return { title, about, metrics: since() };
    }),
  ];
}

/** Renders `docs/metrics.md`. */
export function renderMetrics(): string {
  const parts = describeMetrics().map(({ title, about, metrics }) =>
    [`## ${title}`, '', about, '', ...renderTable(metrics), ''].join('\n'),
  );
  return [INTRODUCTION, ...parts].join('\n');
}

function renderTable(metrics: readonly MetricAbout[]): string[] {
  return [
    '| metric | type | labels | tells |',
    '|---|---|---|---|',
    ...metrics.map(
      ({ name, type, help, labels }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    ),
  ];
}
