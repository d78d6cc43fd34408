import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { startSimulator } from '../../src/simulator/server.ts';

const seriesPerRequest = 20;
const limit = 20_000;
const rounds = 20;

/**
 * Measures how many points of history the simulator makes and sends per second of its own processor time, and per
 * second by the clock, read over HTTP by the same process.
 */
export async function measureSimulator(): Promise<{
  points: number;
  perSecond: number;
  perCpuSecond: number;
}> {
  const simulator = await startSimulator({ size: 'small', nowMs: () => Date.UTC(2024, 4, 1) });
  const query = new URLSearchParams({
    appid: simulator.appId,
    secret: simulator.secret,
    grantType: 'client_credential',
  });
  const token = await request(`${simulator.baseUrl}/oauth2/client/v1/accessToken?${query}`);
  const { accessToken } = (await token.body.json()) as { accessToken: string };
  const select = [...simulator.truth.series()]
    .filter(({ persisted, primitiveType }) => persisted && primitiveType === 'Double')
    .slice(0, seriesPerRequest)
    .map(({ object, property }) => `"${object}.${property}"`);
  const read = async (ge: string): Promise<number> => {
    const reply = await request(`${simulator.baseUrl}/openapi/objects/v1/properties/history`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ select, limit, where: { and: { timestamp: { ge } } } }),
    });
    const text = await reply.body.text();
    return text.split('],[').length + select.length - 1;
  };
  await read('2019-01-01T00:00:00Z');
  const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
  let points = 0;
  for (let round = 0; round < rounds; round += 1)
    points += await read(`${2016 + (round % 4)}-01-01T00:00:00Z`);
  const seconds = (performance.now() - before) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  await simulator.close();
  return { points, perSecond: points / seconds, perCpuSecond: points / ((user + system) / 1e6) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { points, perSecond, perCpuSecond } = await measureSimulator();
  const thousands = (number: number) => `${Math.round(number / 1000)}k`;
  process.stdout.write(
    `simulator: ${points} points, ${thousands(perSecond)} points/s by the clock, ${thousands(perCpuSecond)} points/s of processor time\n`,
  );
}
