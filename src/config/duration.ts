const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const unitBytes = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/** The form of a duration: a number and a unit. */
export const DURATION_PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
/** The form of a size: a number and a unit. */
export const SIZE_PATTERN = /^(\d+(?:\.\d+)?) ?(B|kB|MB|GB|KiB|MiB|GiB)$/;

/**
 * Returns the milliseconds of a text such as `500ms`, `10s`, `5m`, `2h`, `7d`. Returns undefined if the text
 * is no duration.
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = DURATION_PATTERN.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Math.round(Number(amount) * unitMs[unit as keyof typeof unitMs]);
}

/** Returns the bytes of a text such as `64MiB`. Returns undefined if the text is no size. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = SIZE_PATTERN.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Math.round(Number(amount) * unitBytes[unit as keyof typeof unitBytes]);
}
