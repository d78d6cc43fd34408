import { describe, expect, it } from 'vitest';
import { trials } from './properties.ts';

/** Runs a short part of `npm run fuzz`, always the same part. */
const shares = { replies: 1_500, configurations: 300, 'command lines': 100 } as const;

describe('odd input', () => {
  it.each(Object.keys(shares) as (keyof typeof shares)[])(
    'ends in a result or a sentence: %s',
    async (name) => {
      const { finding } = await trials[name]({ seed: 7, runs: shares[name] });
      expect(finding).toBeUndefined();
    },
  );
});
