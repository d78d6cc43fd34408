import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { whenAborted } from '../src/sleep.ts';

it('the wait for one of several signals leaves them all when one aborts', async () => {
  const [lasting, brief] = [new AbortController(), new AbortController()];
  const ended = whenAborted(lasting.signal, brief.signal);
  brief.abort();
  await ended;
  await whenAborted(lasting.signal, brief.signal);
  expect(getEventListeners(lasting.signal, 'abort')).toEqual([]);
});
