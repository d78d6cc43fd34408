/**
 * `node --import tsx test/bench/console-load.ts [hours] [rounds]` measures how much slower a backfill of the
 * service is while ten pages of its console are open. Rounds with and without pages take turns in one process
 * of the service, because a machine is not equally fast at all times. On a busy machine the processor time of
 * the service for each point tells more than the speed.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../support/servers/postgres.ts';
import { freePort } from '../support/servers/process.ts';
import { environmentOf, measureProgram, startPlatform, startProgram } from './program.ts';

const hours = Number(process.argv[2] ?? 6);
const rounds = Number(process.argv[3] ?? 4);
const pages = 10;
/** A page asks again when something has changed, which the service looks for in this period. */
const PAGE_PERIOD_MS = 2_000;
const platform = await startPlatform(['--size', 'medium']);
const postgres = await startPostgres();
const port = await freePort();
const api = `http://127.0.0.1:${port}/api/v1`;
const env = {
  ...environmentOf(platform, postgres),
  PLANTSYNC_CONSOLE__PORT: String(port),
  PLANTSYNC_RUNTIME: '[{"objects":"*1","current":false,"history":{"start":"10m"}}]',
};
await measureProgram(['sync', 'objects', 'object_properties'], env);
const service = startProgram(['run'], env);
try {
  await fill(1);
  const { streams } = await askPatiently(() => fetch(`${api}/coverage/sources`));
  const place = new URLSearchParams({ store: streams[0].stores[0].id, stream: streams[0].name });
  const map = `/coverage?${place}&from=-${hours}h&to=now&columns=400`;
  const reads = ['/overview', '/streams', '/runs', '/backfills', map];
  const speeds: Record<'without' | 'with', number[]> = { without: [], with: [] };
  const costs: typeof speeds = { without: [], with: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const kind of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      const close = kind === 'with' ? openPages(reads) : async () => 0;
      const before = await readCpuSec();
      const { speed, points } = await fill(hours);
      const cpu = ((await readCpuSec()) - before) / (points / 1e6);
      const answers = await close();
      speeds[kind].push(speed);
      costs[kind].push(cpu);
      console.log(
        `round ${round + 1}, ${kind} pages: ${Math.round(speed)} points/s, ${cpu.toFixed(2)} s of processor time for a million points, ${answers} answers`,
      );
    }
  const [without, with_] = [medianOf(speeds.without), medianOf(speeds.with)];
  const slower = ((without - with_) / without) * 100;
  console.log(
    `median ${Math.round(without)} without and ${Math.round(with_)} with: ${slower.toFixed(1)} % slower`,
  );
  const dearer = (medianOf(costs.with) / medianOf(costs.without) - 1) * 100;
  console.log(`median processor time for a point: ${dearer.toFixed(1)} % more with pages`);
} finally {
  service.kill();
  await once(service, 'close');
  await Promise.all([platform.close(), postgres.close()]);
}

/** Lets the service read a range again. Resolves to its points, and its points in a second. */
async function fill(agoHours: number): Promise<{ points: number; speed: number }> {
  const body = JSON.stringify({ from: `-${agoHours}h`, to: '-10m', force: true });
  const headers = { 'content-type': 'application/json' };
  const { id } = await askPatiently(() => fetch(`${api}/backfills`, { method: 'POST', headers, body }));
  for (;;) {
    const { status, records, begunAt, finishedAt, problems } = await askPatiently(() =>
      fetch(`${api}/backfills/${id}`),
    );
    if (status === 'done') {
      const seconds = (Date.parse(finishedAt) - Date.parse(begunAt)) / 1000;
      return { points: records, speed: records / seconds };
    }
    if (!['waiting', 'running'].includes(status)) throw new Error(`the backfill is ${status}: ${problems}`);
    await sleep(250);
  }
}

/** Reads the processor time that the service has used, in seconds. */
async function readCpuSec(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^process_cpu_seconds_total ([\d.]+)/m.exec(text)?.[1]);
}

/** Asks until the service answers, which it does once it has started. */
// biome-ignore lint/suspicious/noExplicitAny: replies of several operations
async function askPatiently(ask: () => Promise<Response>): Promise<any> {
  for (;;) {
    const reply = await ask().catch(() => undefined);
    if (reply?.ok) return reply.json();
    if (reply !== undefined && reply.status < 500) throw new Error(await reply.text());
    await sleep(250);
  }
}

/** Opens pages that listen and read. Resolves to the number of their answers once they are closed. */
function openPages(reads: readonly string[]): () => Promise<number> {
  const closing = new AbortController();
  const { signal } = closing;
  let answers = 0;
  const listen = async () => {
    const reply = await fetch(`${api}/events`, { signal });
    for await (const _ of reply.body ?? []);
  };
  const read = async (page: number) => {
    while (!signal.aborted) {
      const reply = await fetch(`${api}${reads[page % reads.length]}`, { signal });
      await reply.text();
      if (!reply.ok) throw new Error(`page ${page}: ${reply.status}`);
      answers += 1;
      await sleep(PAGE_PERIOD_MS, undefined, { signal });
    }
  };
  const numbers = Array.from({ length: pages }, (_, page) => page);
  const all = numbers.flatMap((page) => [listen(), read(page)]);
  const ended = Promise.allSettled(all);
  return async () => {
    closing.abort();
    const ends = await ended;
    const failure = ends.find((end) => end.status === 'rejected' && end.reason?.name !== 'AbortError');
    if (failure?.status === 'rejected') throw failure.reason;
    return answers;
  };
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}
