import type { CallOptions, Platform } from '../platform/platform.ts';

/**
 * Wraps a platform for one piece of work. `onRequest` is called for every request that is sent through the
 * wrapper, and for no other.
 */
export function countRequests(platform: Platform, onRequest: () => void): Platform {
  const told = (options: CallOptions | undefined): CallOptions => ({ ...options, onRequest });
  return {
    ...platform,
    call: (id, input, options) => platform.call(id, input, told(options)),
    read: (id, input, options) => platform.read(id, input, told(options)),
    listPage: (id, input, options) => platform.listPage(id, input, told(options)),
    readHistory: (request, options) => platform.readHistory(request, told(options)),
    readCurrent: (names, options) => platform.readCurrent(names, told(options)),
  };
}
