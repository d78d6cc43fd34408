import type { LoadResult } from '../../../src/load/rows/load-rows.ts';
import { none } from '../test-streams.ts';

/** A row of a table with a key of owner and name. */
export interface ModelRow {
  owner: string;
  name: string;
  value: unknown;
  live: boolean;
  misses: number;
  filter: string | null;
}

/** One load of a table, as the model understands it. */
export interface ModelLoad {
  readonly kind: 'list' | 'part';
  readonly filter: string | null;
  /** What the batch says of its table. It changes nothing of the result. */
  readonly beganEmpty?: boolean;
  readonly rows: readonly { readonly owner: string; readonly name: string; readonly value: unknown }[];
  /** The owners whose rows are complete. `all` makes one set of all rows. */
  readonly whole?: {
    readonly owners: readonly string[] | 'all';
    readonly alsoSeen: readonly (readonly [owner: string, name: string])[];
    readonly missing: 'delete' | { readonly missesAtMost: number };
  };
}

export interface ModelChange {
  readonly owner: string;
  readonly name: string;
  readonly kind: string;
  readonly before: unknown;
}

/** The content of a table after loads, computed in the plainest way. */
export class LoadModel {
  readonly rows = new Map<string, ModelRow>();
  readonly changes: ModelChange[] = [];

  load({ kind, filter, rows, whole }: ModelLoad): LoadResult {
    const result = { ...none } as { -readonly [K in keyof LoadResult]: LoadResult[K] };
    const last = new Map(rows.map((row) => [keyOf(row.owner, row.name), row]));
    for (const [key, { owner, name, value }] of last) {
      const old = this.rows.get(key);
      const fresh = { owner, name, value, live: true, misses: 0, filter: kind === 'list' ? filter : null };
      this.rows.set(key, fresh);
      if (old === undefined) result.inserted += 1;
      else if (old.live && JSON.stringify(old.value) === JSON.stringify(value)) result.unchanged += 1;
      else {
        this.#note(old, old.live ? 'updated' : 'restored');
        result.updated += 1;
        if (!old.live) result.restored += 1;
      }
    }
    if (whole === undefined) return result;
    const missing = new Set<string>();
    const seen = new Set([...last.keys(), ...whole.alsoSeen.map(([owner, name]) => keyOf(owner, name))]);
    for (const [key, row] of this.rows) {
      const belongs = whole.owners === 'all' || whole.owners.includes(row.owner);
      if (
        !belongs ||
        !row.live ||
        seen.has(key) ||
        (kind === 'list' && filter !== null && row.filter !== filter)
      )
        continue;
      if (whole.missing !== 'delete') {
        row.misses = Math.min(row.misses + 1, Math.max(row.misses, whole.missing.missesAtMost));
        missing.add(whole.owners === 'all' ? '[]' : JSON.stringify([row.owner]));
      } else {
        this.#note(row, 'deleted');
        row.live = false;
        result.deleted += 1;
      }
    }
    return { ...result, missing: [...missing].sort().map((set) => JSON.parse(set)) };
  }

  #note({ owner, name, value }: ModelRow, kind: string): void {
    this.changes.push({ owner, name, kind, before: value });
  }
}

function keyOf(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}
