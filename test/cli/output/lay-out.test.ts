import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import { type Column, makeTable } from '../../../src/cli/output/table.ts';
import { columnsOf } from '../../../src/cli/output/terminal-width.ts';
import { widthOf } from '../../../src/cli/output/text-width.ts';
import { wrapText } from '../../../src/cli/output/wrap-text.ts';

const drawn = (
  columns: readonly (Column | string)[],
  rows: readonly (readonly (string | number)[])[],
  room = 80,
) => layOut([makeTable(columns, rows)], room);

describe('a table', () => {
  it('has numbers to the right, also next to unknown cells, and counts wide characters twice', () => {
    const rows = [
      ['泵房', 1234],
      ['pump', ''],
      ['b', 5],
    ];
    expect(drawn(['name', 'rows'], rows)).toEqual([
      'name   rows',
      '────  ─────',
      '泵房  1,234',
      'pump',
      'b         5',
    ]);
  });

  it('takes a column that nothing is known of for text', () => {
    expect(drawn(['a', 'b'], [['', 1]])).toEqual(['a  b', '─  ─', '   1']);
  });

  it('wraps titles first', () => {
    expect(drawn(['name', 'poll requests/h', 'n'], [['pump', 12, 1]], 19)).toEqual([
      '            poll',
      'name  requests/h  n',
      '────  ──────────  ─',
      'pump          12  1',
    ]);
  });

  it('wraps or cuts the cells that may be, and no others', () => {
    const columns = ['id', { title: 'key', cut: 5 }, { title: 'reason', wrap: 8 }];
    expect(
      drawn(
        columns,
        [
          ['1234', 'pump.temperature', 'the value is no number'],
          ['5', '泵房.温度', 'late'],
        ],
        27,
      ),
    ).toEqual([
      'id    key        reason',
      '────  ─────────  ──────────',
      '1234  pump.tem…  the value',
      '                 is no',
      '                 number',
      '5     泵房.温度  late',
    ]);
  });

  it('leaves out columns at last, those of least value first, and says so', () => {
    const columns = ['name', { title: 'requests', drop: 1 }, { title: 'records', drop: 2 }, 'status'];
    const rows = [['objects', 12, 345, 'done']];
    expect(drawn(columns, rows, 27)).toEqual([
      'name     records  status',
      '───────  ───────  ──────',
      'objects      345  done',
      'not shown, since the',
      '  terminal is narrow:',
      '  requests',
    ]);
    expect(drawn(columns, rows, 12).slice(0, 3)).toEqual(['name', '───────', 'objects']);
  });

  it('never exceeds the terminal, whatever it holds', () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '泵', '😀', '.', '👩‍👩‍👧‍👦'), maxLength: 60 }),
      fc.integer(),
    );
    const column = fc.record({
      title: fc.constantFrom('a', 'poll requests/h', '温度', 'first filling'),
      wrap: fc.option(fc.integer({ min: 4, max: 30 }), { nil: undefined }),
      cut: fc.option(fc.integer({ min: 4, max: 30 }), { nil: undefined }),
      drop: fc.option(fc.nat(5), { nil: undefined }),
    });
    const table = fc.array(column, { minLength: 1, maxLength: 6 }).chain((columns) =>
      fc.tuple(
        fc.constant(columns as Column[]),
        fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
          maxLength: 4,
        }),
      ),
    );
    fc.assert(
      fc.property(table, fc.integer({ min: 10, max: 120 }), ([columns, rows], room) => {
        // The sentence below the table keeps long words whole.
        const lines = drawn(columns, rows, room).filter((line) => !line.startsWith('not shown'));
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(room, 14));
      }),
    );
  });

  it('is whole where the output is no terminal', () => {
    const columns = ['name', { title: 'reason', wrap: 8 }];
    const reason = 'a long reason, '.repeat(40).trim();
    expect(drawn(columns, [['a', reason]], columnsOf({ isTTY: false, columns: 0 }))[2]).toBe(
      `a     ${reason}`,
    );
  });
});

describe('a sentence', () => {
  it('is wrapped at words, with its later lines further in', () => {
    expect(layOut(['  - history: influx is down since 12:00, so nothing was written'], 30)).toEqual([
      '  - history: influx is down',
      '    since 12:00, so nothing',
      '    was written',
    ]);
  });

  it('is wrapped between the characters of a script without blanks', () => {
    expect(wrapText('objects: 没有权限访问组织，请联系管理员。', 24)).toEqual([
      'objects: 没有权限访问组',
      '  织，请联系管理员。',
    ]);
  });

  it('keeps commands and long words whole, so that they can be copied', () => {
    expect(wrapText('interrupted; to go on: plantsync backfill --from 2024-05-01T00:00:00Z', 30)).toEqual([
      'interrupted; to go on:',
      '  plantsync backfill --from 2024-05-01T00:00:00Z',
    ]);
    expect(wrapText('nothing was lost (plantsync rejects list --stream current) so far', 50)).toEqual([
      'nothing was lost',
      '  (plantsync rejects list --stream current) so far',
    ]);
    expect(wrapText('look at http://influx.example:8086/plant now', 20)).toEqual([
      'look at',
      '  http://influx.example:8086/plant',
      '  now',
    ]);
  });
});

describe('the width of the output', () => {
  it('is that of the terminal, 80 where it is not told, and without end elsewhere', () => {
    expect(columnsOf({ isTTY: true, columns: 132 })).toBe(132);
    expect(columnsOf({ isTTY: true, columns: 0 })).toBe(80);
    expect(columnsOf({ isTTY: false, columns: 132 })).toBe(Number.POSITIVE_INFINITY);
  });
});
