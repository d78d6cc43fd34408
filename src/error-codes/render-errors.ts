import { type ErrorCode, errorCodes } from './error-codes.ts';

/** The areas of codes, in the order of the page. */
const areas: Readonly<Record<string, string>> = {
  platform: 'The platform',
  history: 'History of the platform',
  postgres: 'PostgreSQL',
  ledger: 'The ledger',
  influx: 'InfluxDB',
  redis: 'Redis',
  config: 'The configuration',
  usage: 'The command line',
  file: 'Files',
  simulator: 'The simulator',
  console: 'The console',
  sync: 'Runs and jobs',
  notify: 'Webhooks and heartbeat',
  interrupted: 'Interruptions',
  internal: 'The program',
};

/**
 * Renders `docs/errors.md`: every code with its meaning and what to do. Throws an error for a code whose area
 * has no title.
 */
export function renderErrors(): string {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const homeless = codes.filter((code) => areas[areaOf(code)] === undefined);
  if (homeless.length > 0) throw new Error(`these codes have no area: ${homeless.join(', ')}`);
  const sections = Object.entries(areas).map(([area, title]) =>
    renderArea(
      title,
      codes.filter((code) => areaOf(code) === area),
    ),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `# Errors

Every error has a code that never changes: in brackets for people, and as \`code\` in \`--json\`, the log, \`/readyz\` and \`plantsync.runs\`.
The message of an error says what failed and where; this page says what the code means, and what to do.`;

function areaOf(code: ErrorCode): string {
  return code.slice(0, code.indexOf('.'));
}

function renderArea(title: string, codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { meaning, remedy } = errorCodes[code];
    return `| \`${code}\` | ${meaning} | ${remedy} |`;
  });
  return [`## ${title}`, '', '| code | meaning | what to do |', '|---|---|---|', ...rows].join('\n');
}
