import { InterruptedError, PlantsyncError, PlatformError } from '../errors.ts';
import type { Failure } from './failure.ts';
import type { BuiltRequest } from './request.ts';

/**
 * Returns the error of a call that failed for good. It says what failed, how often it was tried, why, and
 * what to do.
 */
export function callError(request: BuiltRequest, failure: Failure, attempts: number): PlatformError {
  const { code, kind, status, platformCode, unreachable } = failure;
  const uncertain = request.operation.kind === 'write' && !failure.notDone && mayHaveArrived(failure);
  const tried = attempts > 1 ? ` after ${attempts} attempts` : '';
  const doubt = uncertain ? '; it may have been carried out: look before sending it again' : '';
  const text = failure.refusedToken
    ? `the platform refused authorization although the access token was renewed (${failure.reason}); check ` +
      'platform.appId, platform.secret and the rights of the application'
    : failure.reason;
  return new PlatformError(code, `${request.label} failed${tried}: ${text}${doubt}`, {
    kind,
    action: uncertain ? 'stop' : failure.action,
    operation: request.id,
    status,
    platformCode,
    unreachable,
  });
}

/**
 * Returns the error of a call whose signal was aborted: the reason of the signal, if that is an error of
 * ours.
 */
export function interruption(reason: unknown): PlantsyncError {
  return reason instanceof PlantsyncError ? reason : new InterruptedError();
}

function mayHaveArrived({ kind }: Failure): boolean {
  return kind === 'timeout' || kind === 'unavailable' || kind === 'malformed' || kind === 'too_large';
}
