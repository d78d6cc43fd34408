import { describe, expect, it } from 'vitest';
import { type LineState, renderProgress } from '../../../src/cli/output/progress-line.ts';
import { widthOf } from '../../../src/cli/output/text-width.ts';

const history: LineState = {
  name: 'history',
  unit: 'series-hours',
  done: 45_600,
  total: 123_456,
  seconds: 500,
  note: undefined,
};

describe('renderProgress', () => {
  it.each([80, 100, 200])('shows rate and remaining time within %d columns', (columns) => {
    const line = renderProgress(history, columns);
    expect(line.length).toBeLessThan(columns);
    expect(line).toMatch(/^history .* 36% {2}45,600\/123,456 series-hours {2}91\/s {2}14 min left$/);
  });

  it('cuts by columns, so that wide characters never wrap the line', () => {
    const line = renderProgress({ ...history, unit: '小时' }, 45);
    expect(line).toMatch(/小时/);
    expect(widthOf(line)).toBeLessThan(45);
    expect(widthOf(renderProgress({ ...history, note: '平台没有回答，稍后再试' }, 70))).toBeLessThan(70);
  });

  it('shows the rate of what the work brings, where that is counted', () => {
    const line = renderProgress({ ...history, brought: { count: 2_715_500, unit: 'points' } }, 100);
    expect(line).toMatch(/series-hours {2}5,431 points\/s {2}14 min left$/);
  });

  it('draws a bar in the room that is left', () => {
    expect(renderProgress(history, 80)).toMatch(/█+░+/);
    expect(renderProgress(history, 75)).not.toMatch(/[█░]/);
    expect(renderProgress(history, 75)).toMatch(/14 min left$/);
  });

  it('claims no share where the total is unknown', () => {
    expect(renderProgress({ ...history, name: 'persons', total: undefined }, 80)).not.toMatch(/%|[█░]|left/);
  });

  it('keeps the place of work that did not end well, and says why', () => {
    expect(renderProgress({ ...history, note: 'interrupted' }, 80)).toMatch(/ 36% .* interrupted$/);
  });

  it('shows 100 % at most, also where there was more to do than expected', () => {
    expect(renderProgress({ ...history, done: 200_000 }, 80)).toMatch(/ 100% {2}200,000\/200,000/);
  });
});
