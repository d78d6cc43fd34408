import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant, onlyHistoryOf, type StubPlant } from '../../support/stub/stub-plant.ts';

const range = ['--from', '2024-05-01', '--to', '2024-05-02'];
type Value = number | string | null;

/** Makes a point in every hour of a day. `changes` are other values, or undefined for no point. */
function dayOf(changes: Readonly<Record<number, Value | undefined>> = {}): [string, Value][] {
  return Array.from({ length: 24 }, (_, hour): [string, Value | undefined] => [
    `2024-05-01T${String(hour).padStart(2, '0')}:30:00Z`,
    hour in changes ? changes[hour] : hour,
  ]).filter((row): row is [string, Value] => row[1] !== undefined);
}

/** Opens a gate to InfluxDB. While `refuses` is set, it refuses writes after a deletion. */
async function openGate(url: string): Promise<{ url: string; refuses: boolean; deletes: number }> {
  const server = createServer((received, reply) => {
    const { method, url: path = '', headers } = received;
    if (gate.refuses && gate.deletes > 0 && /^\/(api\/v2\/)?write/.test(path))
      return void reply.writeHead(404).end('refused by the test');
    const onward = request(new URL(path, url), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    if (path.startsWith('/api/v2/delete')) gate.deletes += 1;
    received.on('data', (bytes: Buffer) => {
      if (bytes.toString().includes('DELETE')) gate.deletes += 1;
    });
    received.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuses: false,
    deletes: 0,
  };
  return gate;
}

async function stored({ databases }: StubPlant): Promise<[Value, Value][]> {
  const { values, texts } = await databases.influxPoints('pump1.temp');
  return values.map((value, k): [Value, Value] => [value, texts[k] ?? null]);
}

const asStored = (value: Value): [Value, Value] =>
  typeof value === 'string' ? [null, value] : [value, null];

it('a point that changes its form has only the new one in InfluxDB, and others stay', async () => {
  const plant = await makeStubPlant({ history: { 'pump1.temp': dayOf() } }, ({ postgres, influx }) => ({
    ...{ postgres, influx },
    ...onlyHistoryOf(['pump1.temp']),
  }));
  const backfill = (...more: string[]) => runCommand(plant.folder, ['backfill', ...range, ...more]);
  expect(await backfill()).toMatchObject({ code: 0 });
  const readAgain = async (changes: Readonly<Record<number, Value | undefined>>) => {
    Object.assign(plant.stub.script, { history: { 'pump1.temp': dayOf(changes) } });
    expect(await backfill('--force')).toMatchObject({ code: 0 });
    return stored(plant);
  };
  // The platform shows the point of hour 6 no more, and the point is kept. Null has no point.
  const now = { 3: 'off', 5: 'off', 6: undefined, 7: 'off', 9: null };
  const expected = dayOf({ ...now, 6: 6, 9: undefined }).map(([, value]) => asStored(value));
  expect(await readAgain(now)).toEqual(expected);
  expect(await readAgain({})).toEqual(dayOf().map(([, value]) => asStored(value)));
  const texts = Object.fromEntries(dayOf().map((_, hour) => [hour, `text ${hour}`]));
  expect(await readAgain(texts)).toEqual(dayOf(texts).map(([, value]) => asStored(value)));
  expect(await runCommand(plant.folder, ['verify', ...range])).toMatchObject({ code: 0 });
});

it('a point that went and could not be written is a gap, which the next run fills', async () => {
  const plant = await makeStubPlant({ history: { 'pump1.temp': dayOf() } }, ({ postgres, influx }) => ({
    ...{ postgres, influx },
    ...onlyHistoryOf(['pump1.temp']),
  }));
  const { influx } = plant.databases.sections;
  const gate = await openGate(influx.url);
  plant.configure({ ...plant.config, influx: { ...influx, url: gate.url } });
  const backfill = (...more: string[]) => runCommand(plant.folder, ['backfill', ...range, ...more]);
  expect(await backfill()).toMatchObject({ code: 0 });
  // Points that keep their form are written over, and no point is deleted.
  expect(await backfill('--force')).toMatchObject({ code: 0 });
  expect(gate.deletes).toBe(0);

  Object.assign(plant.stub.script, { history: { 'pump1.temp': dayOf({ 3: 'off' }) } });
  gate.refuses = true;
  expect(await backfill('--force')).not.toMatchObject({ code: 0 });
  expect(gate.deletes).toBe(1);
  expect(await stored(plant)).toHaveLength(23);
  gate.refuses = false;
  expect(await backfill()).toMatchObject({ code: 0 });
  expect(await stored(plant)).toEqual(dayOf({ 3: 'off' }).map(([, value]) => asStored(value)));
});
