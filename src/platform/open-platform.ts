import type { Logger } from '../log.ts';
import { type Metrics, noMetrics } from '../metrics.ts';
import { sleep as realSleep, type Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import { noTracing, type Tracing } from '../tracing.ts';
import { digestBody } from './body-digest.ts';
import { guardDatatable } from './datatable.ts';
import { decodeCurrent } from './decode-current.ts';
import { decodePage } from './decode-page.ts';
import { MalformedReply } from './failure.ts';
import { decodeHistory, encodeHistory } from './history/decode-history.ts';
import { isObject } from './json/is-object.ts';
import { type Operation, type OperationId, operations } from './operations.ts';
import type { CallOptions, Page, PageOptions, Platform, TokenStore } from './platform.ts';
import type { PlatformOptions } from './platform-options.ts';
import { readRawReply } from './raw-reply.ts';
import { parseHistoryInParts, parseInParts } from './reply.ts';
import { type BuiltRequest, buildRequest, type RawInput } from './request.ts';
import type { OperationReply } from './shapes.ts';
import { TokenKeeper } from './token/token-keeper.ts';
import { openTokenSource } from './token/token-source.ts';
import { type Call, Caller } from './transport/caller.ts';
import { AdaptiveConcurrency } from './transport/concurrency.ts';
import { RequestSpacing, type SharedBudget } from './transport/request-spacing.ts';
import { Sender, type SentReply } from './transport/sender.ts';
import { openTransport } from './transport/transport.ts';

export interface PlatformDeps {
  readonly tokens: TokenStore;
  readonly log: Logger;
  /** Counts the requests of several processes together, if they share one budget. */
  readonly budget?: SharedBudget | undefined;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  /** Epoch milliseconds. */
  readonly clock?: () => number;
  /** Milliseconds of a clock that nobody sets. If only `clock` is given, that is the clock for waits too. */
  readonly steadyMs?: () => number;
  /** Called with the platform's time, epoch milliseconds, for each reply that tells the time. */
  readonly noteTime?: (ms: number) => void;
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

/**
 * Opens a client of a platform. Nothing is sent before the first call. `close` ends the calls that are under
 * way.
 */
export function openPlatform(options: PlatformOptions, parts: PlatformDeps): Platform {
  const { tokens: store, log, metrics = noMetrics, tracing = noTracing } = parts;
  const { clock = Date.now, random = Math.random, sleep = realSleep, noteTime } = parts;
  const steady = parts.steadyMs ?? parts.clock ?? steadyMs;
  const transport = openTransport(options);
  const concurrency = new AdaptiveConcurrency(options.maxConcurrency);
  const spacing = new RequestSpacing(options.requestsPerSecond, {
    clock: steady,
    sleep,
    budget: parts.budget,
  });
  const sender = new Sender({ options, transport, log, clock, noteTime });
  const caller = new Caller({
    ...{ options, sender, concurrency, spacing, log, metrics, tracing, clock, random, sleep },
    steadyMs: steady,
  });
  const source = openTokenSource(options, caller);
  const tokens = new TokenKeeper({ store, source, clock, steadyMs: steady });

  function run<T>(id: OperationId, input: RawInput, how: Reading<T>): Promise<T> {
    const operation: Operation = operations[id];
    guardDatatable(id, input.body);
    const request = buildRequest(options, id, input);
    return caller.run({
      request,
      parse: how.parse,
      decode: (body, reply) => how.decode(body, reply, request),
      options: how.options,
      tokens: operation.kind === 'token' ? undefined : tokens,
    });
  }

  const read: Platform['read'] = async (id, input, callOptions = {}) =>
    run(id, input, {
      // The contract says what the body holds. Only the members that all other code relies on are checked.
      decode: (body, { bytes, content }) => ({
        body: checkBody(id, body, bytes) as OperationReply<typeof id>,
        bytes,
        ...(callOptions.wantsDigest && { digest: digestBody(content) }),
      }),
      options: callOptions,
    });

  return {
    read,
    call: async (id, input, callOptions) => (await read(id, input, callOptions)).body,
    callRaw: async (id, input, callOptions = {}) =>
      run(id, input, {
        decode: (body, reply, request) => readRawReply(request, checkBody(id, body, reply.bytes), reply),
        options: callOptions,
      }),
    listPage: async (id, input, callOptions = {}) => {
      const query = { per_page: options.pageSize, ...input.query };
      return run(id, { ...input, query }, readPageBody(callOptions));
    },
    readHistory: async (request, callOptions = {}) =>
      run(
        'readHistory',
        { body: encodeHistory(request, options.dialect) },
        {
          // With an override of the zone all times are local, and only the parser of times can read them.
          parse: options.dialect.zoneOverride === undefined ? parseHistoryInParts : undefined,
          decode: (body, { bytes }) => ({ columns: decodeHistory(body, request), bytes }),
          options: callOptions,
        },
      ),
    readCurrent: async (names, callOptions = {}) => {
      const body = { [options.dialect.currentParam]: names };
      const decode = (reply: unknown, { bytes }: SentReply) => ({ ...decodeCurrent(reply, names), bytes });
      const { values, unknownNames, complains, bytes } = await run(
        'readCurrent',
        { body },
        { decode, options: { priority: 'live', ...callOptions } },
      );
      if (unknownNames.length > 0)
        log.warn(
          { operation: 'readCurrent', count: unknownNames.length, names: unknownNames.slice(0, 3) },
          'the reply holds names that were not asked for',
        );
      return { values, bytes, complains };
    },
    clockSkewMs: () => sender.skewMs,
    stats: () => ({
      requests: sender.requests,
      retries: caller.retries,
      failures: caller.failures,
      bytes: sender.bytes,
      tokens: source.issued(),
      concurrency: concurrency.limit,
      lastSuccessMs: caller.lastSuccessMs,
    }),
    token: () => ({ validUntilMs: tokens.held?.expiresAtMs, refusal: tokens.refusal }),
    close: async () => {
      caller.close();
      await transport.close();
    },
  };
}

/** How a reply's body is read, and the options of the call. */
interface Reading<T> {
  readonly parse?: Call<T>['parse'];
  readonly decode: (body: unknown, reply: SentReply, request: BuiltRequest) => T;
  readonly options: CallOptions;
}

/** Stands for the body of a reply whose digest is known. Only the platform's successes have known digests. */
const knownBody = { list: [] };

/** Tells how the body of a page is read. A body with the known digest is not parsed. */
function readPageBody(options: PageOptions): Reading<Page> {
  const { wantsDigest, knownDigest } = options;
  if (!wantsDigest) return { decode: (body, { bytes }) => decodePage(body, bytes), options };
  let digest: string | undefined;
  return {
    parse: async (content) => {
      digest = digestBody(content);
      return digest !== undefined && digest === knownDigest ? knownBody : parseInParts(content);
    },
    decode: (body, { bytes }) =>
      body === knownBody
        ? { items: [], total: undefined, bytes, digest, isKnown: true }
        : { ...decodePage(body, bytes), digest },
    options,
  };
}

function checkBody(id: OperationId, body: unknown, bytes: number): unknown {
  const operation: Operation = operations[id];
  if (operation.paged || id === 'listCurrentAlarms') decodePage(body, bytes);
  if (id === 'readHistory' && !(isObject(body) && Array.isArray(body.results)))
    throw new MalformedReply('the reply has no member results');
  return body;
}
