/**
 * What the browser sends with a query. Grafana 11 and 12 put in the variables there, and the macros of the
 * data source on the server.
 */
export interface GrafanaRequest {
  readonly fromMs: number;
  readonly toMs: number;
  readonly intervalMs: number;
  readonly values: ReadonlyMap<string, VariableValue>;
}

export interface VariableValue {
  readonly value: string | readonly string[];
  /** Whether the variable takes several values, so that each is quoted. */
  readonly quoted: boolean;
  /** Whether the value goes into the query as it is. */
  readonly verbatim?: boolean;
}

const VARIABLE = /\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)(?:\.([^:^}]+))?(?::([^}]+))?\}/g;
/** Macros of the server begin like variables, and the browser leaves them alone. */
const LEFT_TO_SERVER =
  /^(__timeFrom|__timeTo|__timeFilter|__timeGroup|__timeGroupAlias|__time|timeFilter|__rate_interval)$/;

/** Returns the SQL that reaches PostgreSQL. */
export function expandSql(text: string, request: GrafanaRequest): string {
  const withValues = replaceVariables(text, request, quoteForSql);
  return withValues.replace(/\$([_a-zA-Z0-9]+)\(([^)]*)\)/g, (_, name: string, list: string) =>
    sqlMacro(
      name,
      list.split(',').map((argument) => argument.trim()),
      request,
    ),
  );
}

function sqlMacro(name: string, [column = '', width = '']: string[], request: GrafanaRequest): string {
  const from = `'${new Date(request.fromMs).toISOString()}'`;
  const to = `'${new Date(request.toMs).toISOString()}'`;
  switch (name) {
    case '__timeFrom':
      return from;
    case '__timeTo':
      return to;
    case '__timeFilter':
      return `${column} BETWEEN ${from} AND ${to}`;
    case '__time':
      return `${column} AS "time"`;
    case '__timeGroup':
    case '__timeGroupAlias': {
      const seconds = toSeconds(width.replaceAll("'", ''));
      const bucket = `floor(extract(epoch from ${column})/${seconds})*${seconds}`;
      return name === '__timeGroup' ? bucket : `${bucket} AS "time"`;
    }
    default:
      throw new Error(`Grafana has no macro $${name} for PostgreSQL`);
  }
}

/** Returns the InfluxQL that reaches InfluxDB. */
export function expandInfluxql(text: string, request: GrafanaRequest): string {
  const left = replaceVariables(text, request, (name, { value }, format) => {
    if (format === 'regex') return escapeForRegex(value);
    if (typeof value !== 'string') throw new Error(`$${name} has several values and no format`);
    return value;
  });
  return left.replaceAll('$timeFilter', `time >= ${request.fromMs}ms and time <= ${request.toMs}ms`);
}

/** Returns the PromQL that reaches Prometheus. */
export function expandPromql(text: string): string {
  return text.replaceAll('$__rate_interval', '1m').replaceAll('$__interval', '15s');
}

type Format = (name: string, value: VariableValue, format: string | undefined) => string;

function replaceVariables(text: string, request: GrafanaRequest, print: Format): string {
  return text.replace(VARIABLE, (match: string, ...groups: (string | undefined)[]) => {
    const name = groups[0] ?? groups[1] ?? groups[3] ?? '';
    const format = groups[2] ?? groups[5];
    if (name === '__interval_ms') return String(request.intervalMs);
    if (name === '__interval') return `${request.intervalMs / 1_000}s`;
    if (LEFT_TO_SERVER.test(name)) return match;
    const value = request.values.get(name);
    if (value === undefined) throw new Error(`the variable ${match} is not defined`);
    return value.verbatim === true ? String(value.value) : print(name, value, format);
  });
}

/** Quotes as the data source does. A format of Grafana would escape double quotes, unlike PostgreSQL. */
function quoteForSql(name: string, { value, quoted }: VariableValue, format: string | undefined): string {
  if (format !== undefined) throw new Error(`\${${name}:${format}} is not safe in SQL`);
  const escaped = (typeof value === 'string' ? [value] : value).map((one) => one.replaceAll("'", "''"));
  return quoted ? escaped.map((one) => `'${one}'`).join(',') : escaped.join(',');
}

function escapeForRegex(value: string | readonly string[]): string {
  const escaped = (typeof value === 'string' ? [value] : value).map((one) =>
    one.replace(/[\\^$*+?.()|[\]{}/]/g, '\\$&'),
  );
  return escaped.length === 1 ? String(escaped[0]) : `(${escaped.join('|')})`;
}

function toSeconds(width: string): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(width);
  if (parts === null) throw new Error(`Grafana cannot read the interval ${width}`);
  const unit = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 }[parts[2] as 'ms' | 's' | 'm' | 'h' | 'd'];
  return Number(parts[1]) * unit;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Widths of a pixel below the first number become the second one. */
const ROUNDED: readonly (readonly [below: number, intervalMs: number])[] = [
  [1.5 * SECOND_MS, SECOND_MS],
  [3.5 * SECOND_MS, 2 * SECOND_MS],
  [7.5 * SECOND_MS, 5 * SECOND_MS],
  [12.5 * SECOND_MS, 10 * SECOND_MS],
  [17.5 * SECOND_MS, 15 * SECOND_MS],
  [25 * SECOND_MS, 20 * SECOND_MS],
  [45 * SECOND_MS, 30 * SECOND_MS],
  [1.5 * MINUTE_MS, MINUTE_MS],
  [3.5 * MINUTE_MS, 2 * MINUTE_MS],
  [7.5 * MINUTE_MS, 5 * MINUTE_MS],
  [12.5 * MINUTE_MS, 10 * MINUTE_MS],
  [17.5 * MINUTE_MS, 15 * MINUTE_MS],
  [25 * MINUTE_MS, 20 * MINUTE_MS],
  [45 * MINUTE_MS, 30 * MINUTE_MS],
  [1.5 * HOUR_MS, HOUR_MS],
  [2.5 * HOUR_MS, 2 * HOUR_MS],
  [4.5 * HOUR_MS, 3 * HOUR_MS],
  [9 * HOUR_MS, 6 * HOUR_MS],
  [24 * HOUR_MS, 12 * HOUR_MS],
];

/** Rounds the width of a pixel as Grafana does. */
export function roundInterval(pixelMs: number): number {
  return ROUNDED.find(([below]) => pixelMs < below)?.[1] ?? 24 * HOUR_MS;
}
