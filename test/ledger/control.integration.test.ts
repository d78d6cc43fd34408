import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

test('what is asked for is begun once, by one of those who look for it', async () => {
  const { control } = opened.ledger;
  const ids = await control.trigger(['scan-a', 'scan-b', 'scan-a']);
  const begun: string[] = [];
  const begin = async (job: string) => void begun.push(job);
  await Promise.all([1, 2, 3].map(() => control.takeTriggers(['scan-a', 'scan-b', 'scan-c'], begin)));
  expect(begun.sort()).toEqual(['scan-a', 'scan-b']);
  expect(await control.readWaiting(ids)).toEqual([]);
});

test('what cannot be begun stays asked for', async () => {
  const { control } = opened.ledger;
  const ids = await control.trigger(['scan-d']);
  const failing = control.takeTriggers(['scan-d'], async () => {
    throw new Error('Redis is away');
  });
  await expect(failing).rejects.toThrow('Redis is away');
  expect(await control.readWaiting(ids)).toEqual(ids);
  const begun: string[] = [];
  await control.takeTriggers(['scan-d'], async (job) => void begun.push(job));
  expect(begun).toEqual(['scan-d']);
});
