import { describe, expect, it } from 'vitest';
import { UnprovenHistory } from '../../../src/series/bounds.ts';
import type { Outcome } from '../../../src/sync/history/window-reader.ts';
import { WindowStreaks } from '../../../src/sync/history/window-streaks.ts';

const spent: Outcome = { answered: true, isSpent: true };
const read: Outcome = { answered: true, isSpent: false };
const silent: Outcome = { answered: false, failure: new Error('out of order') };

function note(...outcomes: Outcome[]): WindowStreaks {
  const streaks = new WindowStreaks();
  for (const outcome of outcomes) streaks.note(outcome);
  return streaks;
}

describe('windows that come to nothing', () => {
  it('end the stream when three in a row took all their requests', () => {
    expect(() => note(spent, spent, read, spent, spent).throwIfLong()).not.toThrow();
    expect(() => note(read, spent, spent, spent).throwIfLong()).toThrow(UnprovenHistory);
  });

  it('end it with the last failure when the platform answers nothing of three in a row, or of any', () => {
    expect(() => note(silent, silent, read, silent).throwIfLong()).not.toThrow();
    expect(() => note(read, silent, silent, silent).throwIfLong()).toThrow('out of order');
    expect(() => note(silent).throwIfSilent()).toThrow('out of order');
    expect(() => note(silent, read).throwIfSilent()).not.toThrow();
  });
});
