import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The size of the plant that the double shows, and how long each of its replies waits. */
export interface DoubleSize {
  readonly objects: number;
  readonly properties: number;
  readonly latencyMs: number;
}

/** A message to the process of a double: a share of the rows changes. */
export interface DoubleOrder {
  readonly changePercent: number;
}

/**
 * Serves lists of objects and of their properties from texts. The simulator keeps a whole plant, which takes
 * more time than the program under test.
 */
async function serve(size: DoubleSize, tell: (baseUrl: string) => void): Promise<void> {
  const changed = new Map<number, number>();
  let round = 0;
  const objectAt = (at: number) =>
    `{"code":"","createTime":"2023-04-05T06:07:08.000+08:00","createUsername":"admin","description":"line ${at % 40}",` +
    `"explain":"","icon":"icon-${at % 9}","modelLabels":["area_${at % 20}"],"name":"object_${at}","range":"public",` +
    `"showName":"Object ${at}","status":true,"valueStream":"default"}`;
  const propertyAt = (object: string, at: number, k: number) =>
    `{${k % 3 === 0 ? `"bindingInfo":{"source":"gateway/${object}/property_${k}","target":"property_${k}"},` : ''}` +
    `"code":"","defaultValue":{"value":${k}},"description":"measured ${changed.get(at * size.properties + k) ?? 0}",` +
    `"logged":true,"modelLabels":["kind_${k % 5}"],"name":"property_${k}","override":false,"persisted":true,` +
    `"primitiveType":"Double","range":"[0,100]","readonly":${k % 2 === 0},"showName":"Property ${k}","structType":0}`;
  const reply = (url: string): string => {
    const [, object, query = ''] =
      /^\/openapi\/objects\/v1(?:\/([^/?]+)\/properties)?\?(.*)$/.exec(url) ?? [];
    if (query === '') return '{"accessToken":"token","refreshToken":"refresh","expiresIn":86400}';
    const [page, perPage] = ['page', 'per_page'].map((name) =>
      Number(new RegExp(`(?:^|&)${name}=(\\d+)`).exec(query)?.[1] ?? 1),
    ) as [number, number];
    const total = object === undefined ? size.objects : size.properties;
    const at = Number(object?.slice('object_'.length));
    const items: string[] = [];
    for (let k = (page - 1) * perPage; k < Math.min(total, page * perPage); k += 1)
      items.push(object === undefined ? objectAt(k) : propertyAt(object, at, k));
    return `{"list":[${items.join(',')}],"pagination":{"page":${page},"per_page":${perPage},"total":${total}}}`;
  };
  const server = createServer(async ({ url = '' }, response) => {
    if (size.latencyMs > 0 && url.startsWith('/openapi/')) await sleep(size.latencyMs);
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply(url));
  });
  process.on('disconnect', () => process.exit());
  process.on('message', ({ changePercent }: DoubleOrder) => {
    round += 1;
    const rows = size.objects * size.properties;
    for (let n = 0; n < (rows * changePercent) / 100; n += 1)
      changed.set((n * 104_729 + round) % rows, round);
    process.send?.('changed');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  tell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

if (process.send) await serve(JSON.parse(process.argv[2] ?? '{}'), process.send.bind(process));
