import { mix, pick, unit } from '../random.ts';

/** Where a plant's records come from. */
export interface PlantSeed {
  readonly seed: number;
  /** Adds what few platforms allow: NUL, line breaks, dots in names, lone surrogates. */
  readonly awkward: boolean;
  /** Start of the plant's life in epoch milliseconds: generated history begins here. */
  readonly startMs: number;
}

/** Aliases that break careless software; `§` stands for the record's number. */
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

const awkwardAliases = ['dotted.§.name', 'line\nbreak §', 'tab\t§', 'nul\u0000§'] as const;

const texts = [
  '',
  'Line 1',
  '一号生产线的设备',
  'He said "stop", then \\ left',
  'Größe: 5 µm; 温度 ≤ 80 °C',
  'two\nlines',
] as const;

/**
 * A unique alias for record `index`: mostly `PREFIX_00012`, one in four an odd one. The last run of digits is the
 * index, so that the record can be found again from its alias.
 */
export function aliasOf({ seed, awkward }: PlantSeed, prefix: string, index: number): string {
  if (index % 4 !== 2) return `${prefix}_${String(index).padStart(5, '0')}`;
  const forms: readonly [string, ...string[]] = awkward ? [...oddAliases, ...awkwardAliases] : oddAliases;
  return pick(forms, seed + Math.floor(index / 4)).replace('§', `${prefix}${index}`);
}

/** The index in an alias (its last run of digits), or -1. */
export function indexInAlias(alias: string): number {
  const digits = /(\d+)\D*$/.exec(alias)?.[1];
  return digits === undefined ? -1 : Number(digits);
}

/** A description: often empty, sometimes long, sometimes with characters that need escaping. */
export function descriptionOf({ awkward }: PlantSeed, hash: number): string {
  if (hash % 41 === 0) return `${'long text 长文本 '.repeat(200)}end`;
  if (awkward && hash % 23 === 0) return 'Feed\u0000pump';
  if (awkward && hash % 29 === 0) return 'half a pair \ud83d';
  return pick(texts, mix(hash, 2));
}

/** An instant of the plant's life before its first year ended, in the canonical format. */
export function createTimeOf({ startMs }: PlantSeed, hash: number): string {
  const second = Math.floor(unit(mix(hash, 3)) * 31_536_000);
  return new Date(startMs + second * 1000).toISOString().replace('.000Z', 'Z');
}
