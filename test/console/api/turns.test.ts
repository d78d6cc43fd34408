import { expect, it } from 'vitest';
import { Turns } from '../../../src/console/api/turns.ts';

const never = new AbortController().signal;

it('lets so many work at once, and then the oldest that waits', async () => {
  const turns = new Turns({ most: 2, mostWaiting: 2 });
  const first = await turns.take(never);
  await turns.take(never);
  const order: string[] = [];
  const third = turns.take(never).then((end) => {
    order.push('third');
    return end;
  });
  const fourth = turns.take(never).then(() => order.push('fourth'));
  await expect(turns.take(never)).rejects.toMatchObject({ code: 'console.busy' });
  expect(order).toEqual([]);
  first();
  // A turn ends once, however often that is said.
  first();
  (await third)();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

it('leaves out one that does not wait any more', async () => {
  const turns = new Turns({ most: 1, mostWaiting: 1 });
  const end = await turns.take(never);
  const leaving = new AbortController();
  const left = turns.take(leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(turns.take(leaving.signal)).rejects.toThrow('gone');
  const next = turns.take(never);
  end();
  (await next)();
  await turns.take(never);
});
