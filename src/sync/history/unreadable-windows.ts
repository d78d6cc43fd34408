import { formatInstant } from '../../series/instant.ts';
import { seriesName } from '../../series/types.ts';
import type { Window } from '../../series/window.ts';

/** Windows that could not be read, described in one sentence for each reason. */
export class UnreadableWindows {
  readonly #stops = new Set<string>();
  readonly #byReason = new Map<string, { readonly names: Set<string>; readonly example: string }>();

  add(window: Window, reason: string): void {
    const names = window.series.map(seriesName);
    const span = `${formatInstant(window.fromSec * 1e6)} to ${formatInstant(window.toSec * 1e6)}`;
    const known = this.#byReason.get(reason) ?? { names: new Set(), example: `${names[0]} from ${span}` };
    for (const name of names) known.names.add(name);
    this.#byReason.set(reason, known);
  }

  /** Notes why the rest of a stream is not read. */
  addStop(reason: string): void {
    this.#stops.add(reason);
  }

  describe(): string[] {
    const windows = [...this.#byReason].map(([reason, { names, example }]) => {
      const others = names.size > 1 ? ` and windows of ${names.size - 1} other series` : '';
      return `${example}${others} cannot be read: ${reason}`;
    });
    return [...this.#stops, ...windows];
  }
}
