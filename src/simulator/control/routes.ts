import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { checkValue } from '../check-value.ts';
import type { FaultRule } from '../faults.ts';
import type { Change } from '../plant/apply-change.ts';
import type { GivenObject } from '../plant/plant.ts';
import type { GivenAlarm } from '../plant/plant-alarms.ts';
import type { SimulatorDialect } from '../simulator-dialect.ts';
import type { Simulator } from '../simulator-options.ts';
import type { World } from '../world.ts';
import { bodies } from './bodies.ts';
import { registerTruth, wholeNumber } from './truth-routes.ts';

/**
 * Serves `/simulator/…`: other processes can do there what the `Simulator` object offers in its own process.
 * No secret is served. Bodies and replies are JSON. A request that cannot be done gets 400 with a message.
 * - GET `/simulator`: clock, size, seed
 * - GET `/simulator/requests`, `/simulator/journal?limit`; DELETE `/simulator/requests`
 * - GET, PUT `/simulator/dialect` (a part of it); PUT `/simulator/faults` (a list of rules)
 * - POST `/simulator/revoke-tokens`, PUT `/simulator/token-lifetime` (`{seconds}`)
 * - GET `/simulator/authorization-code`
 * - POST `/simulator/changes` (a `Change`), `/simulator/objects` (a `GivenObject`)
 * - POST `/simulator/points` (`{series, points}`)
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
  control.get<{ Querystring: { limit?: string } }>('/simulator/journal', ({ query }) => {
    const limit = wholeNumber(query.limit, { name: 'limit', fallback: 1000 });
    return limit === 0 ? [] : simulator.journal().slice(-limit);
  });
}

function registerSettings(control: FastifyInstance, simulator: Simulator): void {
  control.get('/simulator/dialect', () => simulator.dialect());
  control.put('/simulator/dialect', (request) =>
    done(() => simulator.setDialect(jsonOf(request) as Partial<SimulatorDialect>)),
  );
  control.put('/simulator/faults', (request) =>
    done(() => simulator.setFaults(jsonOf(request) as FaultRule[])),
  );
  control.post('/simulator/revoke-tokens', (request) => {
    const { refreshTokens = false } = request.body ? bodyOf(request, bodies.revocation) : {};
    return done(() => simulator.revokeTokens({ refreshTokens }));
  });
  control.put('/simulator/token-lifetime', (request) =>
    done(() => simulator.setTokenLifetime(bodyOf(request, bodies.tokenLifetime).seconds)),
  );
  control.get('/simulator/authorization-code', () => ({ code: simulator.lastCode() ?? null }));
}

function registerChanges(control: FastifyInstance, simulator: Simulator): void {
  control.post('/simulator/changes', (request) =>
    done(() => simulator.change(bodyOf(request, bodies.change) as Change)),
  );
  control.post('/simulator/objects', (request) =>
    done(() => simulator.addObject(bodyOf(request, bodies.object) as GivenObject)),
  );
  control.post('/simulator/points', (request) => {
    const { series, points } = bodyOf(request, bodies.points);
    return done(() => simulator.addPoints(series, points));
  });
  control.post('/simulator/alarms', (request) => ({
    id: simulator.raiseAlarm(bodyOf(request, bodies.alarm) as GivenAlarm),
  }));
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

/**
 * Returns the body of a request in the shape that its route takes. Throws an Error that names each wrong
 * member.
 */
function bodyOf<T>(request: FastifyRequest, shape: z.ZodType<T>): T {
  return checkValue(shape, jsonOf(request), 'body');
}

function jsonOf(request: FastifyRequest): unknown {
  if (typeof request.body !== 'string') throw new Error('a JSON body is required');
  return JSON.parse(request.body);
}
