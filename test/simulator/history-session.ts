import { openSession, type Reply, type Session } from './session.ts';

/** The first second of the points of `pump`. */
export const startMs = Date.UTC(2024, 4, 1);
export const nowMs = Date.UTC(2024, 4, 2);

/** Returns the instant this many seconds after the start. */
export const iso = (second: number) => new Date(startMs + second * 1000).toISOString().replace('.000Z', 'Z');

/** Two series of ten points each, as they are selected. */
export const two = ['"pump.a"', '"pump.b"'];

export const between = (bounds: Record<string, string>) => ({ where: { and: { timestamp: bounds } } });

export interface Result {
  name?: string;
  function?: string;
  fields: string[];
  datas: unknown[][];
}

/** Returns the value column of each result. */
export const values = (results: Result[]) => results.map(({ datas }) => datas.map((row) => row[1]));

/** A session with object `pump` that asks for history. */
export interface HistorySession extends Session {
  ask(body: unknown): Promise<Reply>;
  /** Returns the results of a request that must succeed. */
  history(select: string[], extra?: object): Promise<Result[]>;
}

export async function openHistorySession(): Promise<HistorySession> {
  const session = await openSession({ nowMs: () => nowMs });
  const ten = Array.from({ length: 10 }, (_, index) => [startMs + index * 1000, index] as const);
  const big = [9007199254740993n, 9007199254740992n, Number.NaN].map(
    (value, ms) => [startMs + ms, value] as const,
  );
  session.simulator.addObject({
    name: 'pump',
    properties: [
      { name: 'a', points: ten },
      { name: 'b', points: ten.map(([time, value]) => [time + 500, value * 10] as const) },
      { name: 'big', primitiveType: 'Long', points: big },
      { name: 'unkept', persisted: false, logged: false, points: ten },
      { name: 'future', points: [0, 1].map((ms) => [nowMs + ms, 1 + ms] as const) },
      { name: 'micro', points: [['2024-05-01T00:00:00.123456Z', 'x']] },
    ],
  });
  const ask = (body: unknown) => session.post('/openapi/objects/v1/properties/history', body);
  return {
    ...session,
    ask,
    async history(select, extra = {}) {
      const { status, text } = await ask({ select, ...extra });
      if (status !== 200) throw new Error(`history answered ${status}: ${text}`);
      return JSON.parse(text).results;
    },
  };
}
