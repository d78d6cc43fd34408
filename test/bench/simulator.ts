import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { request } from 'undici';
import { plainObject, plainSeries, type SimulatorMessage } from './simulator-process.ts';

const seriesPerRequest = 20;
const limit = 20_000;
const rounds = 20;
const program = fileURLToPath(new URL('./simulator-process.ts', import.meta.url));

/** A simulator in a process of its own. */
interface Running {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly headers: { readonly authorization: string };
}

/** The speed at which the simulator sent the points of some series. */
export interface SimulatorSpeed {
  readonly points: number;
  readonly bytes: number;
  /** Points per second of real time. The process that reads needs its share of the machine too. */
  readonly perSecond: number;
  /** Points per second of processor time of the simulator's process alone. */
  readonly perCpuSecond: number;
}

type Message<Kind> = Extract<SimulatorMessage, { kind: Kind }>;

async function messageOf<Kind extends SimulatorMessage['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Message<Kind>> {
  const [message] = (await once(child, 'message')) as [SimulatorMessage];
  if (message.kind !== kind) throw new Error(`the simulator's process sent ${message.kind}, not ${kind}`);
  return message as Message<Kind>;
}

async function start(): Promise<Running> {
  const child = fork(program, { execArgv: ['--import', 'tsx', ...process.execArgv] });
  const { baseUrl, appId, secret } = await messageOf(child, 'ready');
  const query = new URLSearchParams({ appid: appId, secret, grantType: 'client_credential' });
  const token = await request(`${baseUrl}/oauth2/client/v1/accessToken?${query}`);
  const { accessToken } = (await token.body.json()) as { accessToken: string };
  return { child, baseUrl, headers: { authorization: `Bearer ${accessToken}` } };
}

async function cpuUsed({ child }: Running): Promise<number> {
  const answer = messageOf(child, 'cpu');
  child.send('cpu');
  return (await answer).usedUs;
}

/** Lists the recorded series of the plant that have one of these types. */
async function seriesOf({ baseUrl }: Running, types: readonly string[]): Promise<string[]> {
  const reply = await request(`${baseUrl}/simulator/truth/series`);
  const { series } = (await reply.body.json()) as {
    series: { object: string; property: string; primitiveType: string; persisted: boolean }[];
  };
  return series
    .filter(
      ({ object, persisted, primitiveType }) =>
        persisted && object !== plainObject && types.includes(primitiveType),
    )
    .map(({ object, property }) => `${object}.${property}`);
}

/**
 * Reads a window of 20,000 points per series, and counts the points by their brackets without parsing them.
 */
async function read({ baseUrl, headers }: Running, select: string[], ge: string) {
  const reply = await request(`${baseUrl}/openapi/objects/v1/properties/history`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ select, limit, where: { and: { timestamp: { ge } } } }),
  });
  const text = Buffer.from(await reply.body.arrayBuffer());
  let points = select.length;
  for (let at = text.indexOf('],['); at >= 0; at = text.indexOf('],[', at + 3)) points += 1;
  return { points, bytes: text.length };
}

async function measure(running: Running, names: readonly string[]): Promise<SimulatorSpeed> {
  const select = names.slice(0, seriesPerRequest).map((name) => `"${name}"`);
  for (const year of [2019, 2020]) await read(running, select, `${year}-01-01T00:00:00Z`);
  const [before, cpuBefore] = [performance.now(), await cpuUsed(running)];
  let [points, bytes] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const reply = await read(running, select, `${2016 + (round % 4)}-01-01T00:00:00Z`);
    points += reply.points;
    bytes += reply.bytes;
  }
  const cpuSeconds = ((await cpuUsed(running)) - cpuBefore) / 1e6;
  const seconds = (performance.now() - before) / 1000;
  return { points, bytes, perSecond: points / seconds, perCpuSecond: points / cpuSeconds };
}

/** Measures how many points of history the simulator, in a process of its own, makes and sends over HTTP. */
export async function measureSimulator(): Promise<Record<string, SimulatorSpeed>> {
  const running = await start();
  try {
    const every = ['Double', 'Integer', 'Long', 'Boolean', 'String', 'DateTime', 'Object'];
    const plain = Array.from({ length: plainSeries }, (_, index) => `${plainObject}.${index}`);
    return {
      'numbers of the plant': await measure(running, await seriesOf(running, ['Double'])),
      'every kind of value': await measure(running, await seriesOf(running, every)),
      'integers beyond doubles': await measure(
        running,
        (await seriesOf(running, ['Long'])).filter((name) => name.endsWith('energy')),
      ),
      'points that a test gives': await measure(running, plain),
    };
  } finally {
    running.child.disconnect();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const thousands = (number: number) => `${Math.round(number / 1000)}k`;
  for (const [name, speed] of Object.entries(await measureSimulator()))
    process.stdout.write(
      `simulator, ${name}: ${speed.points} points (${(speed.bytes / speed.points).toFixed(1)} bytes each), ` +
        `${thousands(speed.perCpuSecond)} points/s of processor time, ${thousands(speed.perSecond)} points/s by the clock\n`,
    );
}
