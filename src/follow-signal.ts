/** A controller whose signal aborts with another one, until `stop`. */
export interface FollowedSignal {
  readonly controller: AbortController;
  readonly stop: () => void;
}

/**
 * Makes a signal of its own that aborts with `outer`, if there is one. Call `stop` when it is needed no more.
 * `AbortSignal.any` has no such end: in Node 20 each call leaves something with the outer signal.
 */
export function followSignal(outer: AbortSignal | undefined): FollowedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer?.reason);
  outer?.addEventListener('abort', follow, { once: true });
  if (outer?.aborted) follow();
  return { controller, stop: () => outer?.removeEventListener('abort', follow) };
}
