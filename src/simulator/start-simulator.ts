import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { type OperationId, operations } from '../platform/operations.ts';
import { checkOptions } from './check-options.ts';
import { registerControl } from './control/routes.ts';
import { errorAnswer, jsonAnswer } from './error-answer.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { applyChange } from './plant/apply-change.ts';
import { Datatables } from './plant/datatables.ts';
import { Plant } from './plant/plant.ts';
import { Alarms } from './plant/plant-alarms.ts';
import { plantSize } from './plant/size.ts';
import { Workflows } from './plant/workflows.ts';
import { replayFiles } from './recorded/recorded-series.ts';
import { RefusedCall } from './refused-call.ts';
import { record, type Service, serve } from './serve-call.ts';
import { changeDialect, defaultDialect } from './simulator-dialect.ts';
import type { Simulator, SimulatorOptions } from './simulator-options.ts';
import { Tokens } from './tokens.ts';
import { Truth } from './truth.ts';
import type { World } from './world.ts';

const defaultStartMs = Date.UTC(2015, 0, 1);
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Starts a simulated platform: all 29 operations over HTTP, a plant that lives and is the same for the same
 * seed, and faults on demand. The caller closes it. Throws a `ReplayError` if a file to replay cannot be
 * used.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  checkOptions(options);
  const prefix = options.pathPrefix ?? '';
  const application = { appId: options.appId ?? 'demo-app', secret: options.secret ?? 'demo-secret' };
  const startMs = options.startMs ?? defaultStartMs;
  const lifetime = { seconds: options.tokenLifetimeSec ?? 7200 };
  const world = createWorld(options, { application, startMs, lifetime });
  const service: Service = {
    world,
    faults: new Faults(options.faults ?? [], options.seed ?? 1),
    journal: new Journal(),
    onRequest: options.onRequest,
  };
  const replayed = await replayFiles(world.plant, options.replay ?? []);
  const app = createApp(service, prefix);
  const stop = () => app.close();
  const connection = { ...application, startMs, lifetime, replayed };
  const simulator = (baseUrl: string) => createSimulator(service, { ...connection, baseUrl, stop });
  if (options.control !== false) registerControl(app, simulator(''), world);
  const address = await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
  return simulator(address + prefix);
}

interface Settings {
  readonly application: { readonly appId: string; readonly secret: string };
  readonly startMs: number;
  readonly lifetime: { seconds: number };
}

function createWorld(options: SimulatorOptions, { application, startMs, lifetime }: Settings): World {
  const nowMs = options.nowMs ?? Date.now;
  const { seed: number = 1, awkward = false, malformed = false } = options;
  const seed = { seed: number, awkward, malformed, startMs };
  const plant = new Plant(seed, plantSize(options.size));
  const world: World = {
    plant,
    alarms: new Alarms(plant),
    datatables: new Datatables(),
    workflows: new Workflows(),
    tokens: new Tokens({
      application,
      nowMs,
      lifetimeSec: () => lifetime.seconds,
      dialect: () => world.dialect,
    }),
    nowMs,
    dialect: changeDialect(defaultDialect, options.dialect ?? {}),
  };
  return world;
}

function createApp(service: Service, prefix: string): FastifyInstance {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 10_000 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  for (const id of Object.keys(operations) as OperationId[]) {
    const { method, path } = operations[id];
    const url = prefix + path.replace(/\{(\w+)\}/g, ':$1');
    app.route({ method, url, handler: (request, reply) => serve(service, id, { request, reply }) });
  }
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const refusal = new RefusedCall(
      error.statusCode ?? 400,
      '800002',
      `internal system exception: ${error.message}`,
    );
    const answer = errorAnswer(refusal, service.world.dialect);
    return reply.code(answer.status).headers(answer.headers).send(answer.text);
  });
  app.setNotFoundHandler((request, reply) => {
    record(service, request, reply);
    const answer = jsonAnswer(404, { message: 'no such path' });
    return reply.code(answer.status).headers(answer.headers).send(answer.text);
  });
  return app;
}

function createSimulator(
  { world, faults, journal }: Service,
  settings: Pick<Simulator, 'appId' | 'secret' | 'startMs' | 'replayed' | 'baseUrl'> & {
    lifetime: { seconds: number };
    stop: () => Promise<void>;
  },
): Simulator {
  const { plant, alarms, tokens } = world;
  const { lifetime, stop, ...connection } = settings;
  return {
    ...connection,
    truth: new Truth(world),
    requests: () => journal.counts(),
    journal: () => journal.entries(),
    resetRequests: () => journal.reset(),
    dialect: () => world.dialect,
    setDialect(changes) {
      world.dialect = changeDialect(world.dialect, changes);
    },
    setFaults: (rules) => faults.set(rules),
    revokeTokens: ({ refreshTokens = false } = {}) => tokens.revoke(refreshTokens),
    setTokenLifetime(seconds) {
      lifetime.seconds = seconds;
    },
    lastCode: () => tokens.lastCode(),
    change: (change) => applyChange(plant, change),
    addObject: (object) => plant.addObject(object),
    addProperty: (object, property) => plant.addProperty(object, property),
    addPoints: (series, points) => plant.addPoints(series, points),
    raiseAlarm: (alarm) => alarms.raise(alarm, world.nowMs()),
    acknowledgeAlarm: (id, user = 'user1', atMs = world.nowMs()) => alarms.acknowledge(id, user, atMs),
    clearAlarm: (id, atMs = world.nowMs()) => alarms.clear(id, atMs),
    close: stop,
  };
}
