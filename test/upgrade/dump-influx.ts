interface QueryReply {
  readonly results: readonly {
    readonly error?: string;
    readonly series?: readonly {
      readonly name: string;
      readonly tags?: Readonly<Record<string, string>>;
      readonly columns: readonly string[];
      readonly values: readonly (readonly (number | string | boolean | null)[])[];
    }[];
  }[];
}

/** An InfluxDB 1.x database. */
export interface InfluxPlace {
  readonly url: string;
  readonly database: string;
}

/** Dumps every point of a database as sorted line protocol, with times in microseconds. */
export async function dumpInflux({ url, database }: InfluxPlace): Promise<string> {
  const query = new URLSearchParams({ db: database, epoch: 'u', q: 'select * from /.*/ group by *' });
  const reply = (await (await fetch(`${url}/query?${query}`)).json()) as QueryReply;
  const [result] = reply.results;
  if (result?.error !== undefined) throw new Error(`InfluxDB refuses to be read: ${result.error}`);
  const lines = (result?.series ?? []).flatMap(({ name, tags = {}, columns, values }) => {
    const written = Object.entries(tags).filter(([, value]) => value !== '');
    const key = [name, ...written.map(([tag, value]) => `${escapeKey(tag)}=${escapeKey(value)}`)].join(',');
    return values.map(([time, ...fields]) => {
      const told = fields.flatMap((value, k) =>
        value === null ? [] : [`${escapeKey(columns[k + 1] ?? '')}=${fieldOf(value)}`],
      );
      return `${key} ${told.join(',')} ${time}`;
    });
  });
  return `${lines.sort().join('\n')}\n`;
}

/** Makes the database and writes the lines to it. */
export async function restoreInflux({ url, database }: InfluxPlace, lines: string): Promise<void> {
  await send(`${url}/query`, new URLSearchParams({ q: `create database "${database}"` }).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  });
  const query = new URLSearchParams({ db: database, precision: 'u' });
  await send(`${url}/write?${query}`, lines);
}

async function send(url: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  const reply = await fetch(url, { method: 'POST', body, headers });
  if (!reply.ok) throw new Error(`InfluxDB answers ${reply.status}: ${await reply.text()}`);
}

function escapeKey(text: string): string {
  return text.replace(/[,= ]/g, '\\$&');
}

function fieldOf(value: number | string | boolean): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}
