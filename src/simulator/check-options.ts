import { z } from 'zod';
import { checkValue } from './check-value.ts';
import { type PlantSize, plantSizes } from './plant/size.ts';
import type { SimulatorOptions } from './simulator-options.ts';

const counts = Object.fromEntries(
  Object.keys(plantSizes.small).map((name) => [name, z.int().min(0).optional()]),
) as Record<keyof PlantSize, z.ZodOptional<z.ZodInt>>;
const size = z.union([z.enum(Object.keys(plantSizes)), z.strictObject(counts)]).meta({
  form: `one of ${Object.keys(plantSizes).join(', ')}, or counts of ${Object.keys(counts).join(', ')}`,
});

/** The options that are plain values. Dialect, faults and files are checked where they are read. */
const plainOptions = z.object({
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  seed: z.int().min(0).optional(),
  size: size.optional(),
  awkward: z.boolean().optional(),
  malformed: z.boolean().optional(),
  startMs: z.number().optional(),
  tokenLifetimeSec: z.number().min(0).optional(),
});

/** Throws an Error that names each option with a value that cannot be used, and the values that can be. */
export function checkOptions(options: SimulatorOptions): void {
  checkValue(plainOptions, options, 'options');
}
