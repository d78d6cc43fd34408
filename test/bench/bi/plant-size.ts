/** The plant of the measurement: its objects, and the span of its history. */
export interface PlantSize {
  readonly pumps: number;
  readonly meters: number;
  readonly tanks: number;
  readonly days: number;
}

/** Points of each kind of object on one day, as `series.ts` makes them. */
const POINTS_PER_DAY = { pump: 3 * 1440 + 72 + 288, meter: 2 * 1440, tank: 205 };
const SMALL_MILLIONS = 10;

/** Returns the plant that has about so many million points. A larger one has more objects and more days. */
export function sizeOf(millions: number): PlantSize {
  const pumps = millions < SMALL_MILLIONS ? 20 : 100;
  const [meters, tanks] = [Math.ceil(pumps / 4), Math.ceil(pumps / 5)];
  const perDay = pumps * POINTS_PER_DAY.pump + meters * POINTS_PER_DAY.meter + tanks * POINTS_PER_DAY.tank;
  return { pumps, meters, tanks, days: Math.max(1, Math.round((millions * 1e6) / perDay)) };
}
