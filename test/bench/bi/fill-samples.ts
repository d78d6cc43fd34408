import { monthsOf, openPartitions } from '../../../src/load/stores/postgres/partitions.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { STORE } from './plant-names.ts';

export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const DAY_MS = 86_400_000;
/** Days that one statement fills. */
const DAYS_AT_ONCE = 10;
/** Every series lacks two hours in ten days, each at its own time. */
const isStored = (at: string) =>
  `(floor(extract(epoch from ${at}) / 3600)::bigint + s.series_id * 7) % 240 > 1`;

/** A kind of series: how far its points are apart, and what they hold. `at` and `s.series_id` are known. */
interface Signal {
  readonly property: string;
  readonly everySec: number;
  readonly value: string;
  readonly text?: string;
  /** Which of the times have a point. Undefined for all. */
  readonly only?: string;
}

const epoch = 'extract(epoch from at)::double precision';
/** A number from 0 to 1 that follows from the series and the time. */
const noise = `(hashint8(extract(epoch from at)::bigint * 1009 + s.series_id) & 65535) / 65535.0`;
const wave = (hours: number) => `sin(2 * pi() * (${epoch} / 3600 / ${hours} + s.series_id * 0.37))`;

const signals: readonly Signal[] = [
  { property: 'temp', everySec: 60, value: `50 + 20 * ${wave(24)} + 8 * ${wave(3)} + ${noise}` },
  { property: 'pressure', everySec: 60, value: `4 + 1.5 * ${wave(6)} + 0.2 * ${noise}` },
  { property: 'flow', everySec: 60, value: `120 + 30 * ${wave(12)} + 5 * ${noise}` },
  {
    property: 'state',
    everySec: 1200,
    value: 'null::double precision',
    text: `(array['running', 'running', 'running', 'idle', 'fault'])[1 + floor(${noise} * 4.9)::integer]`,
  },
  { property: 'hours', everySec: 300, value: `(${epoch} - 1.6e9) / 3600` },
  // A counter that begins again every 100 days.
  { property: 'energy', everySec: 60, value: `floor((${epoch} - 1.6e9)::numeric % 8640000) / 60` },
  { property: 'power', everySec: 60, value: `40 + 15 * ${wave(24)} + 3 * ${noise}` },
  {
    property: 'level',
    everySec: 60,
    value: `round((50 + 49 * ${wave(48)})::numeric, 1)`,
    only: `${noise} < 0.12`,
  },
  { property: 'open', everySec: 60, value: `(${noise} < 0.01)::integer`, only: `${noise} < 0.02` },
];

/** Fills the samples of all series. */
export async function fillSamples(db: Database, { from, to }: Span): Promise<void> {
  const times = Float64Array.from(
    { length: Math.ceil((to.getTime() - from.getTime()) / DAY_MS) + 1 },
    (_, day) => Math.min(from.getTime() + day * DAY_MS, to.getTime()) * 1000,
  );
  await openPartitions(db, 'plant').ensure('samples', monthsOf([{ times } as never]));
  for (let start = from.getTime(); start < to.getTime(); start += DAYS_AT_ONCE * DAY_MS)
    for (const signal of signals) {
      const end = Math.min(start + DAYS_AT_ONCE * DAY_MS, to.getTime());
      await fillSignal(db, signal, { from: new Date(start), to: new Date(end) });
    }
}

async function fillSignal(db: Database, { property, everySec, value, text, only }: Signal, span: Span) {
  // Each series is shifted by some seconds, as real ones are.
  await db.query(
    `insert into plant.samples (series_id, at, value, text)
     select s.series_id, at, ${value}, ${text ?? 'null'}
     from plant.series as s
     cross join lateral generate_series($2::timestamptz, $3::timestamptz - interval '1 us', $4 * interval '1 second')
       as g (tick)
     cross join lateral (select g.tick + s.series_id % 50 * interval '1 second' as at) as shifted
     where s.property = $1 and at < $3 and ${isStored('at')} and ${only ?? 'true'}`,
    [property, span.from, span.to, everySec],
  );
}

/** Fills the coverage that goes with the samples. */
export async function fillCoverage(db: Database, { from, to }: Span): Promise<void> {
  await db.query(
    `insert into plantsync.coverage (store, stream, series_id, covered)
     select '${STORE}', 'history', s.series_id, range_agg(tstzrange(hour, least(hour + interval '1 hour', $2)))
     from plant.series as s
     cross join generate_series($1::timestamptz, $2::timestamptz - interval '1 us', interval '1 hour') as hour
     where ${isStored('hour')} group by s.series_id`,
    [from, to],
  );
}
