/**
 * Expands variables and macros as Grafana 11 and 12 do. First the browser puts in the variables, then the server
 * the macros of the data source.
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

/** Quotes as the data source does. A format of Grafana would escape double quotes, which PostgreSQL does not. */
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
