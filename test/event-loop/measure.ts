import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type StubAnswer, type StubRequest, startStubPlatform } from '../support/stub/platform.ts';
import { samples } from './replies.ts';

/** The effect of one reply on the process that read it. */
export interface Measured {
  readonly name: string;
  /** `read`, or the message of the error. */
  readonly outcome: string;
  readonly heldUpMs: number;
  /** The delay from `monitorEventLoopDelay`. On a busy machine it includes the wait for a processor. */
  readonly delayMs: number;
  readonly tookMs: number;
}

const client = fileURLToPath(new URL('measure-client.ts', import.meta.url));

/** Lets a process of its own read the named replies, each of this many bytes. */
export async function measureReplies(names: readonly string[], bytes: number): Promise<Measured[]> {
  const answers = new Map<string, StubAnswer>();
  const answerOf = (name: string) => {
    const answer = answers.get(name) ?? samples[name]?.make(bytes);
    if (answer !== undefined) answers.set(name, answer);
    return answer;
  };
  const stub = await startStubPlatform({
    answer: (request) => {
      const name = sampleIn(request, names);
      // The page after the first is empty, so that the list ends.
      if (Number(request.query.get('page') ?? 1) > 1) return { body: { list: [] } };
      return name === undefined ? undefined : answerOf(name);
    },
  });
  // A store that accepts everything.
  const store = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await once(store.listen(0, '127.0.0.1'), 'listening');
  const storeUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  try {
    // The answers are made before the process waits for them.
    for (const name of names) answerOf(name);
    const args = ['--import', 'tsx', client, stub.baseUrl, storeUrl, ...names];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
    return JSON.parse(stdout) as Measured[];
  } finally {
    await stub.close();
    store.closeAllConnections();
    store.close();
  }
}

function sampleIn({ path, query, body }: StubRequest, names: readonly string[]): string | undefined {
  const asked = [query.get('keyword'), decodeURIComponent(path.split('/').at(-1) ?? '')];
  if (path.endsWith('/current') && Array.isArray(Object.values(body ?? {})[0]))
    asked.push(...(Object.values(body as object)[0] as string[]));
  if (path.endsWith('/history')) return names[(body as { limit: number }).limit];
  return names.find((name) => asked.includes(name));
}
