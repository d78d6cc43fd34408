import { describe, expect, it } from 'vitest';
import { TrustedClock } from '../src/trusted-clock.ts';

const hourMs = 3_600_000;

/** Opens three clocks that show the same time. Each can be put ahead. */
function openClocks() {
  const time = { nowMs: 1_000_000, ownAheadMs: 0 };
  const clock = new TrustedClock({ own: () => time.nowMs + time.ownAheadMs, steadyMs: () => time.nowMs });
  const note = ({ database = 0, platform = 0 } = {}) => {
    clock.note('database', time.nowMs + database);
    clock.note('platform', time.nowMs + platform);
  };
  return { time, clock, note };
}

describe('TrustedClock', () => {
  it.each([
    { ownAheadMs: hourMs },
    { ownAheadMs: -hourMs },
    { database: hourMs },
    { database: -hourMs },
    { platform: hourMs },
    { platform: -hourMs },
  ])('is right while one of the three is wrong (%o)', ({ ownAheadMs = 0, ...others }) => {
    const { time, clock, note } = openClocks();
    time.ownAheadMs = ownAheadMs;
    note(others);
    expect(clock.nowMs()).toBe(time.nowMs);
  });

  it('is right at once when ours is set, and goes on while the others say nothing', () => {
    const { time, clock, note } = openClocks();
    note();
    time.nowMs += 10.4;
    time.ownAheadMs = hourMs;
    expect(clock.nowMs()).toBe(1_000_010);
  });

  it('is ours while only one other is known', () => {
    const { time, clock } = openClocks();
    clock.note('database', time.nowMs + hourMs);
    expect(clock.nowMs()).toBe(time.nowMs);
  });
});
