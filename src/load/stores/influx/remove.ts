import { StoreError } from '../../../errors.ts';
import { confirmFence } from '../../../postgres/fence.ts';
import type { Range, Series } from '../../../series/types.ts';
import type { Removal } from '../store.ts';
import { encodeTag } from './line-protocol.ts';
import { quoteIdentifier } from './query-client.ts';
import { constantTags, type InfluxPlace, seriesTags } from './read.ts';

/** The number of statements in one request. */
const STATEMENTS_AT_ONCE = 100;

/**
 * Removes points of InfluxDB 1.x (`DELETE`) or 2.x (`/api/v2/delete`) by series and range. Both select by
 * tags and time only, and 1.x deletes in every retention policy. Throws a `StoreError`, and removes nothing,
 * where this would delete points of another writer.
 */
export async function removeInflux(
  place: InfluxPlace,
  removals: readonly Removal[],
  uncover: () => Promise<void>,
): Promise<void> {
  await refuseForeign(place);
  await uncover();
  const { http, target } = place;
  if (target.options.version === 2) {
    const query = new URLSearchParams({ org: target.options.org ?? '', bucket: target.place });
    for (const { series, ranges } of removals)
      for (const range of ranges) {
        await confirmFence();
        await http.post(`/api/v2/delete?${query}`, deletionOf(place, series, range), 'removing points');
      }
    return;
  }
  const statements = removals.flatMap(({ series, ranges }) =>
    ranges.map((range) => statementOf(place, series, range)),
  );
  for (let i = 0; i < statements.length; i += STATEMENTS_AT_ONCE) {
    await confirmFence();
    await http.query(statements.slice(i, i + STATEMENTS_AT_ONCE).join('; '));
  }
}

async function refuseForeign({ http, target, measurement, tags }: InfluxPlace): Promise<void> {
  const { options, place, label } = target;
  const refuse = (reason: string) => {
    throw new StoreError(
      'influx.removal_withheld',
      `${label}: points of "${measurement}" must be removed by hand: ${reason}`,
      { action: 'skip' },
    );
  };
  if (options.version === 1) {
    const [policies] = await http.query(`SHOW RETENTION POLICIES ON ${quoteIdentifier(place)}`);
    if ((policies?.rows.length ?? 0) > 1)
      refuse('the database has several retention policies, and DELETE would remove them from all');
  }
  const [keys] = await http.query(`SHOW TAG KEYS FROM ${quoteIdentifier(measurement)}`);
  const known = ['object', 'property', ...Object.keys(tags)];
  const foreign = keys?.rows.map(([key]) => String(key)).filter((key) => !known.includes(key)) ?? [];
  if (foreign.length > 0)
    refuse(`another writer has series with the tag ${foreign.join(', ')}, which a removal would hit`);
}

function statementOf(place: InfluxPlace, series: Series, { from, to }: Range): string {
  const conditions = [...seriesTags(series), ...constantTags(place), `time >= ${from}u`, `time < ${to}u`];
  return `DELETE FROM ${quoteIdentifier(place.measurement)} WHERE ${conditions.join(' AND ')}`;
}

/**
 * The end is one nanosecond after the last microsecond, so it does not matter whether the server includes the
 * end.
 */
function deletionOf({ measurement, tags }: InfluxPlace, series: Series, { from, to }: Range): object {
  const all = { object: series.object, property: series.property, ...tags };
  const conditions = [
    `_measurement=${quoteValue(measurement)}`,
    ...Object.entries(all)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${quoteValue(name)}=${quoteValue(encodeTag(value))}`),
  ];
  return { start: timeText(from, 0), stop: timeText(to - 1, 1), predicate: conditions.join(' AND ') };
}

function quoteValue(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function timeText(micros: number, nanos: number): string {
  const ms = Math.floor(micros / 1_000);
  const fraction = String(micros - ms * 1_000).padStart(3, '0') + String(nanos).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${fraction}Z`);
}
