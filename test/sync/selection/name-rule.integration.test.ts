import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { nameRuleSql, StatementValues } from '../../../src/load/rows/name-rule-sql.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { ruleOf } from '../../../src/sync/selection/name-rule.ts';
import { matchName } from '../../../src/sync/selection/select-series.ts';
import { createDatabase } from '../../support/servers/servers.ts';

/** Characters that mean something in a glob, in a regular expression, or for the order of names. */
const characters = [...'ab1-.^$|+/\\{}()[]!?*,_%"\' \n', 'é', '泵', '\ufffd', '😀', '\u{10ffff}'];
const literal = fc.constantFrom(...characters);
const piece = fc.constantFrom(
  ...['*', '?', '[ab]', '[!a]', '[^1-9]', '[b-a]', '[!b-a]', '[é-泵]', '[\ufffd-😀]', '[]a]'],
  ...['{a,b}', '{1..3}', '{a,b*}', '@(a|b?)', '?(a)', '*(ab|)', '+(a|1)', '!(a)', '\\*', 'a', 'b', '泵'],
);
const patterns = fc
  .tuple(fc.constantFrom('', '', '', '!', '!!'), fc.array(fc.oneof(piece, piece, literal), { maxLength: 5 }))
  .map(([bangs, pieces]) => bangs + pieces.join(''));
const names = fc.array(fc.oneof(fc.constantFrom('a', 'b', '1', '泵'), literal), { maxLength: 5 });

it('Postgres finds the names that a pattern matches, and no others', async () => {
  const made = await createDatabase();
  const db = openPostgres(made.options, silentLog);
  onTestFinished(async () => {
    await db.close();
    await made.drop();
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(patterns, fc.array(names, { minLength: 30, maxLength: 60 }), async (pattern, parts) => {
      const rule = ruleOf(pattern);
      if (rule === undefined) return;
      compared += 1;
      const all = [...new Set([pattern, pattern.replaceAll(/[*?]/g, 'ab'), ...parts.map((p) => p.join(''))])];
      const values = new StatementValues();
      const asked = values.add(all);
      const { rows } = await db.query(
        `select name from unnest(${asked}::text[]) as n (name) where ${nameRuleSql(rule, 'name', values)}`,
        values.list,
      );
      expect(rows.map(({ name }) => name)).toEqual(all.filter(matchName(pattern)));
    }),
    { numRuns: 500 },
  );
  // The others have a group with `!` inside, which no regular expression says.
  expect(compared).toBeGreaterThan(200);
});
