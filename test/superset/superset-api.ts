import { readFile } from 'node:fs/promises';
import type { Superset } from './superset-server.ts';

/** What the API told of a chart's data. */
export interface ChartData {
  readonly name: string;
  readonly rows: number;
  /** Why there is no data. Undefined if there is. */
  readonly problem: string | undefined;
}

/** The API of Superset, as its administrator. */
export interface SupersetApi {
  /** Imports a bundle, with the password of its database. */
  importBundle(zip: string, password: string): Promise<void>;
  /** Asks every chart for its data. */
  askCharts(): Promise<ChartData[]>;
}

interface Listed {
  readonly result: readonly { readonly id: number; readonly slice_name: string }[];
}

interface Data {
  readonly message?: unknown;
  readonly result?: readonly { readonly rowcount?: number; readonly error?: string | null }[];
}

/** Logs in to the API. */
export async function openApi({ url, username, password }: Superset): Promise<SupersetApi> {
  const login = { username, password, provider: 'db', refresh: false };
  const { access_token: token } = (await ask(`${url}/api/v1/security/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  })) as { access_token: string };
  const headers = await headersOf(url, token);
  return {
    async importBundle(zip, databasePassword) {
      const form = new FormData();
      form.set('bundle', new Blob([await readFile(zip)]), 'bundle.zip');
      form.set('passwords', JSON.stringify({ 'databases/plantsync.yaml': databasePassword }));
      await ask(`${url}/api/v1/assets/import/`, { method: 'POST', headers, body: form });
    },
    async askCharts() {
      const { result } = (await ask(`${url}/api/v1/chart/?q=(page_size:100)`, { headers })) as Listed;
      const answers: ChartData[] = [];
      for (const { id, slice_name: name } of result) {
        const reply = await fetch(`${url}/api/v1/chart/${id}/data/`, { headers });
        answers.push({ name, ...readData((await reply.json()) as Data) });
      }
      return answers;
    },
  };
}

/** The headers of requests: the token, and the proof that a request comes from the site itself. */
async function headersOf(url: string, token: string): Promise<Record<string, string>> {
  const authorization = `Bearer ${token}`;
  const reply = await fetch(`${url}/api/v1/security/csrf_token/`, { headers: { authorization } });
  const { result } = (await reply.json()) as { result: string };
  const cookie = reply.headers.getSetCookie().map((text) => text.split(';', 1)[0]);
  return { authorization, cookie: cookie.join('; '), 'x-csrftoken': result, referer: url };
}

/** A chart without a row counts as a problem. */
function readData({ message, result = [] }: Data): Pick<ChartData, 'rows' | 'problem'> {
  const rows = result.reduce((sum, { rowcount = 0 }) => sum + rowcount, 0);
  const error = result.map((one) => one.error).find((text) => text) ?? message;
  if (error !== undefined) return { rows, problem: JSON.stringify(error) };
  return { rows, problem: rows === 0 ? 'the chart has no row' : undefined };
}

async function ask(address: string, init: RequestInit): Promise<unknown> {
  const reply = await fetch(address, init);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`Superset refuses ${new URL(address).pathname}: ${reply.status} ${text}`);
  return JSON.parse(text);
}
