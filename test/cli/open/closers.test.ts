import { describe, expect, it } from 'vitest';
import { Closers } from '../../../src/cli/open/closers.ts';
import { silentLog } from '../../../src/log.ts';

describe('Closers', () => {
  it('closes in reverse, each once, also after one that fails', async () => {
    const closers = new Closers(silentLog);
    const closed: string[] = [];
    closers.add(() => void closed.push('first'));
    closers.add(async () => {
      throw new Error('no');
    });
    closers.add(async () => void closed.push('last'));
    await closers.close();
    await closers.close();
    expect(closed).toEqual(['last', 'first']);
  });
});
