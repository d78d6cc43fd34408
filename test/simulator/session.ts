import type { OperationId } from '../../src/platform/operations.ts';
import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A simulator, and a client that talks to it over HTTP with a valid token. */
export interface Session {
  readonly simulator: Simulator;
  get(path: string): Promise<Reply>;
  /** Returns the JSON body of a reply that must have status 200. */
  json(path: string): Promise<Record<string, unknown>>;
  /** Returns all names of a list, read with 100 per page. */
  names(path: string): Promise<string[]>;
  post(path: string, body: unknown): Promise<Reply>;
  count(operation: OperationId): number;
}

/** Starts a simulator, by default a tiny one. The caller closes it with `session.simulator.close()`. */
export async function openSession(options: SimulatorOptions = {}): Promise<Session> {
  const simulator = await startSimulator({ size: 'tiny', ...options });
  const token = await newToken(simulator);
  const call = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(simulator.baseUrl + path, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const session: Session = {
    simulator,
    get: (path) => call(path),
    async json(path) {
      const { status, text } = await call(path);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
      return JSON.parse(text);
    },
    async names(path) {
      const names: string[] = [];
      for (let page = 1; ; page += 1) {
        const joint = path.includes('?') ? '&' : '?';
        const { list } = await session.json(`${path}${joint}page=${page}&per_page=100`);
        if (!Array.isArray(list) || list.length === 0) return names;
        names.push(...list.map((record) => String(record.name ?? record.username)));
      }
    },
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    count: (operation) => simulator.requests().byOperation[operation] ?? 0,
  };
  return session;
}

/** Takes a token in client mode. */
export async function newToken(simulator: Simulator): Promise<string> {
  const body = await (await fetch(tokenUrl(simulator))).json();
  return String((body as Record<string, unknown>).accessToken);
}

export function tokenUrl({ baseUrl, appId, secret }: Simulator, given = secret): string {
  const query = new URLSearchParams({ appid: appId, secret: given, grantType: 'client_credential' });
  return `${baseUrl}/oauth2/client/v1/accessToken?${query}`;
}
