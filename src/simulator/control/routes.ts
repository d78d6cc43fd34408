import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SimulatorDialect } from '../dialect.ts';
import type { FaultRule } from '../faults.ts';
import type { Simulator } from '../options.ts';
import type { GivenAlarm } from '../plant/alarms.ts';
import type { Change } from '../plant/changes.ts';
import type { GivenObject } from '../plant/plant.ts';
import type { GivenPoint } from '../signals/stored.ts';
import type { World } from '../world.ts';
import { registerTruth } from './truth-routes.ts';

/**
 * Serves `/simulator/…`: what the `Simulator` object gives in its process, for other processes. No secret is served.
 * Bodies and replies are JSON; what cannot be done is answered by 400 with a message.
 * - GET `/simulator`: clock, size, seed; GET `/simulator/requests`, `/simulator/journal?limit`; DELETE `/simulator/requests`
 * - GET, PUT `/simulator/dialect` (a part of it); PUT `/simulator/faults` (a list of rules)
 * - POST `/simulator/revoke-tokens`, PUT `/simulator/token-lifetime` (`{seconds}`), GET `/simulator/authorization-code`
 * - POST `/simulator/changes` (a `Change`), `/simulator/objects` (a `GivenObject`), `/simulator/points` (`{series, points}`)
 * - POST `/simulator/alarms` (a `GivenAlarm`; gives its id), `/simulator/alarms/<id>/acknowledge`, `…/clear`
 * - GET `/simulator/truth/…`: see `registerTruth`
 */
export function registerControl(app: FastifyInstance, simulator: Simulator, world: World): void {
  app.register(async (control) => {
    control.setErrorHandler((error, _request, reply) =>
      reply.code(400).send({ message: error instanceof Error ? error.message : String(error) }),
    );
    registerRequests(control, simulator);
    registerSettings(control, simulator);
    registerChanges(control, simulator);
    registerTruth(control, simulator.truth);
    control.get('/simulator', () => ({
      nowMs: world.nowMs(),
      startMs: simulator.startMs,
      seed: world.plant.seed.seed,
      size: world.plant.size,
    }));
  });
}

function registerRequests(control: FastifyInstance, simulator: Simulator): void {
  control.get('/simulator/requests', () => simulator.requests());
  control.delete('/simulator/requests', () => done(() => simulator.resetRequests()));
  control.get<{ Querystring: { limit?: string } }>('/simulator/journal', ({ query }) =>
    simulator.journal().slice(-Number(query.limit ?? 1000)),
  );
}

function registerSettings(control: FastifyInstance, simulator: Simulator): void {
  control.get('/simulator/dialect', () => simulator.dialect());
  control.put('/simulator/dialect', (request) =>
    done(() => simulator.setDialect(bodyOf<Partial<SimulatorDialect>>(request))),
  );
  control.put('/simulator/faults', (request) =>
    done(() => simulator.setFaults(bodyOf<FaultRule[]>(request))),
  );
  control.post('/simulator/revoke-tokens', (request) =>
    done(() => simulator.revokeTokens(request.body ? bodyOf<{ refreshTokens?: boolean }>(request) : {})),
  );
  control.put('/simulator/token-lifetime', (request) =>
    done(() => simulator.setTokenLifetime(bodyOf<{ seconds: number }>(request).seconds)),
  );
  control.get('/simulator/authorization-code', () => ({ code: simulator.lastCode() ?? null }));
}

function registerChanges(control: FastifyInstance, simulator: Simulator): void {
  control.post('/simulator/changes', (request) => done(() => simulator.change(bodyOf<Change>(request))));
  control.post('/simulator/objects', (request) =>
    done(() => simulator.addObject(bodyOf<GivenObject>(request))),
  );
  control.post('/simulator/points', (request) => {
    const { series, points } = bodyOf<{ series: string; points: GivenPoint[] }>(request);
    return done(() => simulator.addPoints(series, points));
  });
  control.post('/simulator/alarms', (request) => ({ id: simulator.raiseAlarm(bodyOf<GivenAlarm>(request)) }));
  control.post<{ Params: { id: string } }>('/simulator/alarms/:id/acknowledge', ({ params }) =>
    done(() => simulator.acknowledgeAlarm(Number(params.id))),
  );
  control.post<{ Params: { id: string } }>('/simulator/alarms/:id/clear', ({ params }) =>
    done(() => simulator.clearAlarm(Number(params.id))),
  );
}

function done(act: () => void): { done: true } {
  act();
  return { done: true };
}

/** Who steers the simulator is trusted to send the shape that the route is for. */
function bodyOf<T>(request: FastifyRequest): T {
  if (typeof request.body !== 'string') throw new Error('a JSON body is required');
  return JSON.parse(request.body) as T;
}
