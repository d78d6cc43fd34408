import { Client } from 'pg';
import type { Question } from '../../../src/bi/questions.ts';
import type { PostgresAccess } from '../../support/servers/postgres.ts';

/** What asking a question cost. */
export interface Answer {
  readonly question: Question;
  readonly rows: number;
  /** Median of the warm rounds. */
  readonly ms: number;
  /** How PostgreSQL finds the rows of each table, such as `samples by index`. */
  readonly ways: readonly string[];
}

const ROUNDS = 5;
/** Tables that grow with the points and with time. How others are read makes no difference. */
const LARGE =
  /^(samples|rollup_hourly|rollup_daily|alarms|changes|coverage|current_values|runs|late_points)$/;

/** A node of a plan as `auto_explain` writes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Asks each question once to warm the caches, and then five times. */
export async function askQuestions(
  access: PostgresAccess,
  questions: readonly Question[],
): Promise<Answer[]> {
  const address = new URL(access.url);
  address.password = access.password ?? '';
  const client = new Client({ connectionString: address.href });
  await client.connect();
  // As docs/bi.md advises for the role of a BI tool: compiling takes longer than these questions.
  await client.query('set jit = off');
  try {
    const answers: Answer[] = [];
    for (const question of questions) {
      const { rows } = await client.query(question.sql);
      const ms: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const start = performance.now();
        await client.query(question.sql);
        ms.push(performance.now() - start);
      }
      ms.sort((one, other) => one - other);
      const answer = { question, rows: rows.length, ms: ms[Math.floor(ROUNDS / 2)] ?? Number.NaN };
      answers.push({ ...answer, ways: await readWays(client, question.sql) });
      console.log(`${question.number}. ${question.title}: ${answer.ms.toFixed(1)} ms, ${rows.length} rows`);
    }
    return answers;
  } finally {
    await client.end();
  }
}

/**
 * Returns how the large tables are read. The plans come from `auto_explain`, since a plan of the statement
 * alone hides what its functions do.
 */
async function readWays(client: Client, sql: string): Promise<string[]> {
  const scans: Scan[] = [];
  const note = ({ message }: { message?: string | undefined }) => {
    const plan = /^duration: .*? plan:\n([\s\S]*)$/.exec(message ?? '')?.[1];
    if (plan !== undefined) scans.push(...scansOf((JSON.parse(plan) as { Plan: PlanNode }).Plan));
  };
  await client.query("load 'auto_explain'");
  await client.query(`set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_format = json; set auto_explain.log_level = notice`);
  client.on('notice', note);
  await client.query(sql);
  client.off('notice', note);
  await client.query('set auto_explain.log_min_duration = -1');
  const { rows } = await client.query<{ name: string }>(
    "select c.relname as name from pg_class as c join pg_am as a on a.oid = c.relam where a.amname = 'brin'",
  );
  const brinIndexes = new Set(rows.map(({ name }) => name));
  const ways = scans.filter(({ table }) => LARGE.test(table)).map((scan) => wayOf(scan, brinIndexes));
  return [...new Set(ways)].sort();
}

/** A table that a plan reads, with the index if there is one. */
interface Scan {
  readonly table: string;
  readonly index: string | undefined;
}

/** Lists what a plan reads. An index that a bitmap is made of belongs to the table of the node above. */
function scansOf(node: PlanNode, above?: string): Scan[] {
  const name = node['Relation Name'] ?? above;
  const below = (node.Plans ?? []).flatMap((plan) => scansOf(plan, node['Relation Name']));
  if (name === undefined || !/Scan$/.test(node['Node Type']) || node['Node Type'] === 'Bitmap Heap Scan')
    return below;
  // A month of a table counts as the table.
  return [{ table: name.replace(/_y\d{4}(bc)?m\d\d$/, ''), index: node['Index Name'] }, ...below];
}

function wayOf({ table, index }: Scan, brinIndexes: ReadonlySet<string>): string {
  if (index === undefined) return `${table} as a whole`;
  return `${table} ${brinIndexes.has(index) ? 'by block ranges' : 'by index'}`;
}
