import { mix, pick, unit } from '../random.ts';
import type { PlainRecord } from '../values.ts';

/** The settings from which a plant's records are computed. */
export interface PlantSeed {
  readonly seed: number;
  /**
   * Adds what few platforms allow: NUL, line breaks, dots in names, lone surrogates, texts of many kilobytes.
   */
  readonly awkward: boolean;
  /**
   * Adds what no contract allows: records without a key or with the key of another, and members that are not
   * declared.
   */
  readonly malformed?: boolean;
  /** The start of the plant's life in epoch milliseconds. Generated history begins here. */
  readonly startMs: number;
}

/** Aliases that break careless software. `§` stands for the record's number. */
const oddAliases = [
  '泵房 §号',
  'Pump/§/B',
  '100% of §%',
  'a+b?c=d&e §',
  'O\'Brien "§"',
  'back\\§\\',
  'Größe µ §°',
  '%2F§',
  'hash#tag §',
  'semi;colon,comma:§ ',
  '😀 §',
] as const;

const awkwardAliases = [
  'dotted.§.name',
  'line\nbreak §',
  'tab\t§',
  'nul\u0000§',
  '~0/~1~§/~',
  `${'长'.repeat(200)}§`,
] as const;

const texts = [
  '',
  'Line 1',
  '一号生产线的设备',
  'He said "stop", then \\ left',
  'Größe: 5 µm; 温度 ≤ 80 °C',
  'two\nlines',
] as const;

/**
 * Returns a unique alias for record `index`: mostly `PREFIX_00012`, and for one record in four an odd one.
 * The last run of digits is the index, so that the record can be found by its alias.
 */
export function aliasOf({ seed, awkward }: PlantSeed, prefix: string, index: number): string {
  if (index % 4 !== 2) return `${prefix}_${String(index).padStart(5, '0')}`;
  const forms: readonly [string, ...string[]] = awkward ? [...oddAliases, ...awkwardAliases] : oddAliases;
  return pick(forms, seed + Math.floor(index / 4)).replace('§', `${prefix}${index}`);
}

/** Returns the index in an alias (its last run of digits), or -1. */
export function indexInAlias(alias: string): number {
  const digits = /(\d+)\D*$/.exec(alias)?.[1];
  return digits === undefined ? -1 : Number(digits);
}

/**
 * Returns a description. It is often empty, sometimes long, and sometimes has characters that need escaping.
 */
export function descriptionOf({ awkward }: PlantSeed, hash: number): string {
  if (hash % 41 === 0) return `${'long text 长文本 '.repeat(200)}end`;
  if (awkward && hash % 23 === 0) return 'Feed\u0000pump';
  if (awkward && hash % 31 === 0) return `${'twenty kB "长" \\ '.repeat(1300)}end`;
  if (awkward && hash % 29 === 0) return 'half a pair \ud83d';
  return pick(texts, mix(hash, 2));
}

/**
 * Returns an instant of the plant's first year in the canonical format. Awkward plants sometimes give no time
 * at all.
 */
export function createTimeOf({ startMs, awkward }: PlantSeed, hash: number): string {
  if (awkward && hash % 17 === 3) return 'yesterday';
  const second = Math.floor(unit(mix(hash, 3)) * 31_536_000);
  return new Date(startMs + second * 1000).toISOString().replace('.000Z', 'Z');
}

/**
 * Returns a name for people, which is sometimes empty or long. Awkward plants also have names of 10,000
 * characters, and numbers.
 */
export function showNameOf({ awkward }: PlantSeed, hash: number, name: string): string | number {
  if (hash % 19 === 0) return '';
  if (awkward && hash % 37 === 0) return `${name} `.repeat(10_000).slice(0, 10_000);
  if (awkward && hash % 13 === 0) return hash;
  return hash % 97 === 0 ? `${name} `.repeat(400) : name;
}

/** Values that fit few types. */
const oddValues = [null, 'yes', 7, { nested: ['a', null] }, 'true', '', 1.5, ['x']] as const;

/**
 * Returns the record. In awkward plants some of the members are missing, and some have a value of another
 * type.
 */
export function roughen<Rec extends PlainRecord>(
  { awkward }: PlantSeed,
  hash: number,
  { record, members }: { record: Rec; members: readonly string[] },
): Rec {
  if (!awkward) return record;
  const rough: Record<string, unknown> = { ...record };
  for (const [place, member] of members.entries()) {
    const dice = mix(hash, 70 + place);
    if (dice % 7 === 0) delete rough[member];
    if (dice % 7 === 1) rough[member] = pick(oddValues, mix(dice, 1));
  }
  return rough as Rec;
}

/** Returns the alias of the person with a number. */
export function personAlias(plant: PlantSeed, index: number): string {
  return aliasOf({ ...plant, seed: mix(plant.seed, 21) }, 'P', index);
}
