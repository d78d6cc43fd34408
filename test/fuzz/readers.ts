import { PlantsyncError } from '../../src/errors.ts';
import { createWindowRead } from '../../src/extract/windows.ts';
import { toSeenAlarm } from '../../src/normalize/alarm-twins.ts';
import { applyPoll } from '../../src/normalize/apply-alarm-poll.ts';
import { DriftWatch } from '../../src/normalize/drift-watch.ts';
import { createTyper, normalizePoints } from '../../src/normalize/normalize-points.ts';
import { createRecordNormalizer } from '../../src/normalize/records.ts';
import { sampleOf } from '../../src/normalize/text.ts';
import { decodeCurrent } from '../../src/platform/decode-current.ts';
import { decodePage } from '../../src/platform/decode-page.ts';
import { defaultDialect } from '../../src/platform/dialect.ts';
import { MalformedReply } from '../../src/platform/failure.ts';
import { decodeHistory } from '../../src/platform/history/decode-history.ts';
import type { OperationId } from '../../src/platform/operations.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { parseAhead, parseHistoryInParts, parseInParts, readReply } from '../../src/platform/reply.ts';
import { buildRequest } from '../../src/platform/request.ts';
import { decodeToken } from '../../src/platform/token/token-reply.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { alarms } from '../../src/streams/alarms.ts';
import { recordsOf, type Stream } from '../../src/streams/define.ts';
import { streams } from '../../src/streams/index.ts';

/** The secret of the application, which no message may hold. */
export const secret = "S3cr(t)!x*'q+/=";
const options = {
  baseUrl: 'https://plant.test',
  appId: 'app',
  secret,
  timezone: 'Europe/Berlin',
  dialect: defaultDialect,
};
const parseInstant = createInstantParser({ timezone: 'Europe/Berlin' });
const series = { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' };
const names = ['pump1.temp', 'pump1.level'];

/** A reply, and the reader of its operation. */
export interface Reader {
  readonly id: OperationId;
  readonly name: string;
  readonly sample: unknown;
  readonly use: (body: unknown) => Promise<void> | void;
}

const alarm = {
  sourceObjName: 'pump1',
  sourcePropName: 'temp',
  showName: 'hot',
  alarmType: 'GT',
  startTime: '2024-05-01T08:00:00Z',
  priority: 5,
  status: 1,
  ackStatus: '0',
  value: '9',
};

/**
 * A reader for every operation that `sync` uses: with a good reply, and everything that happens to it before
 * a store.
 */
export const readers: readonly Reader[] = [
  ...streams.map(streamReader),
  {
    id: 'getClientAccessToken',
    name: 'token',
    sample: { accessToken: 'e30.eyJleHAiOjEsImlhdCI6MH0.x', expiresIn: '7200', refreshToken: 'r' },
    use: (body) => {
      decodeToken(body, { requestedAtMs: 0, unit: defaultDialect.expiresIn });
    },
  },
  { id: 'readHistory', name: 'history', sample: historySample(), use: readWindow },
  {
    id: 'readCurrent',
    name: 'current',
    sample: {
      code: '200',
      data: { 'pump1.temp': { value: 1.5, status: 0, timeStamp: '2024-05-01T08:00:00Z' } },
    },
    use: (body) => {
      for (const { value, time } of decodeCurrent(body, names).values.values()) {
        parseInstant(time);
        sampleOf(value);
        createTyper('Double')(typeof value === 'object' ? null : value);
      }
    },
  },
  { id: 'listCurrentAlarms', name: 'current alarms', sample: { list: [alarm] }, use: readAlarms },
  {
    id: 'listAlarmHistory',
    name: 'alarm history',
    sample: { list: [alarm], pagination: { total: 1 } },
    use: readAlarms,
  },
];

/**
 * Reads a reply as the client does. Resolves to the message of its problem, or to undefined without a
 * problem.
 */
export async function readMutated(reader: Reader, status: number, text: string): Promise<string | undefined> {
  const path = { objName: 'a', name: 'a', username: 'a', orgName: 'a', nodeName: 'a', networkName: 'a' };
  const request = buildRequest(options, reader.id, { path });
  const content = Buffer.from(text).subarray(0, status < 300 ? undefined : 16_384);
  const reply = {
    status,
    content,
    isCut: content.length < Buffer.byteLength(text),
    bytes: content.length,
    contentType: 'application/json',
    retryAfter: undefined,
    date: undefined,
    location: undefined,
  };
  const parse = reader.id === 'readHistory' ? parseHistoryInParts : parseInParts;
  try {
    const read = readReply(request, reply, { nowMs: 0, parse: await parseAhead(parse, content) });
    if ('failure' in read) return read.failure.reason;
    await reader.use(read.body);
    return undefined;
  } catch (error) {
    if (error instanceof PlantsyncError || error instanceof MalformedReply) return error.message;
    // The readers of records refuse a reply by this error. Their callers add the name of the operation.
    if (error instanceof TypeError && /^the reply (is|has)/.test(error.message)) return error.message;
    throw error;
  }
}

function historySample(): unknown {
  const datas = [
    ['2024-05-01T08:00:00Z', 1.5],
    ['2024-05-01T08:00:01Z', 'on'],
    ['2024-05-01T08:00:02Z', null],
  ];
  return { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas }] };
}

async function readWindow(body: unknown): Promise<void> {
  const read = createWindowRead({
    platform: {
      readHistory: async (request) => ({ columns: decodeHistory(body, request), bytes: 1 }),
    } satisfies Pick<Platform, 'readHistory'> as unknown as Platform,
    parseInstant,
    signal: new AbortController().signal,
    onReject: (_, row) => void sampleOf(row),
    onReply: () => undefined,
  });
  const rows = await read({ series: [series], fromSec: 0, toSec: 2e9, limit: 100, offset: 0 });
  for (const each of rows.values()) normalizePoints(series, each);
}

function readAlarms(body: unknown): void {
  const { items } = decodePage(body, 1);
  const normalize = createRecordNormalizer(alarms, { parseInstant });
  const seen = items.flatMap((item) => {
    const normalized = normalize(item);
    if ('reject' in normalized) sampleOf(item);
    return 'reject' in normalized ? [] : [toSeenAlarm(normalized.row)];
  });
  const scope = { filter: null, priorities: undefined, hasKeyword: false };
  const poll = {
    seen,
    complete: true,
    beganAt: 1,
    endedAt: 2,
    scope,
    lastPolls: new Map(),
    maxClearShare: 1,
  };
  applyPoll(poll, []);
}

/** Makes a record with every member that the columns of a stream read. */
function recordFor(stream: Stream): Record<string, unknown> {
  const record: Record<string, unknown> = {
    name: 'a',
    username: 'a',
    children: [{ name: 'b', children: [] }],
  };
  for (const { source, type } of stream.columns) {
    if (source.startsWith('#') || source.startsWith('parent.') || source in record) continue;
    record[source.split('.')[0] as string] ??= type === 'text' ? 'x' : type === 'boolean' ? true : 1;
  }
  for (const { from } of stream.parts ?? [])
    if (from !== undefined) record[from.split(/[.[]/)[0] as string] ??= [{ name: 'p' }, 'bare'];
  return record;
}

function streamReader(stream: Stream): Reader {
  const records = recordsOf(stream);
  const record = recordFor(stream);
  const sample = records === undefined ? { list: [record], pagination: { total: 1 } } : record;
  const owner = { object: 'a', name: 'a', org: 'a', username: 'a', network: 'a' };
  return {
    id: stream.operation,
    name: stream.name,
    sample,
    use: (body) => {
      const items = records === undefined ? decodePage(body, 1).items : [...records(body)];
      const normalize = createRecordNormalizer(stream, { parseInstant, keepRaw: true });
      const drift = new DriftWatch(stream);
      for (const item of items) {
        const normalized = normalize(item, owner);
        drift.take(item, normalized);
        if ('reject' in normalized) sampleOf(item);
      }
      drift.report();
    },
  };
}
