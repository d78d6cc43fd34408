import { formatInstant } from '../../series/instant.ts';
import { seriesName } from '../../series/types.ts';
import type { Window } from '../../series/window.ts';
import { causeOf } from '../brief-reason.ts';
import type { RunSummary } from '../run-summary.ts';
import { sayUnread, type UnreadSeries } from '../unread-series.ts';

/** Series that could not be read for one reason. Times are epoch microseconds. */
interface Unread {
  readonly reason: string;
  readonly names: Set<string>;
  /** The name and the range of the first window. Undefined for series that were left out. */
  readonly example?: string;
  asideUntil: number | undefined;
}

/** Reasons that a run keeps in facts. */
const REASONS_KEPT = 20;

/** Windows that could not be read, described in one sentence for each reason. */
export class UnreadableWindows {
  readonly #stops = new Set<string>();
  readonly #asked = new Map<string, Unread>();
  readonly #resting = new Map<string, Unread>();

  /** Notes a window that was asked for, and until when its series are left out, if they are. */
  add(window: Window, reason: string, asideUntil?: number): void {
    const names = window.series.map(seriesName);
    const span = `${formatInstant(window.fromSec * 1e6)} to ${formatInstant(window.toSec * 1e6)}`;
    const known = this.#asked.get(reason) ?? {
      ...{ reason, names: new Set(), asideUntil },
      example: `${names[0]} from ${span}`,
    };
    for (const name of names) known.names.add(name);
    known.asideUntil ??= asideUntil;
    this.#asked.set(reason, known);
  }

  /** Notes a series that was left out, because an earlier window of it could not be read. */
  addResting(
    series: Window['series'][number],
    { reason, asideUntil }: { readonly reason: string; readonly asideUntil: number },
  ): void {
    // A series that was asked for in this run is told by its window.
    if (this.#asked.get(reason)?.names.has(seriesName(series))) return;
    const known = this.#resting.get(reason) ?? { reason, names: new Set(), asideUntil };
    known.names.add(seriesName(series));
    known.asideUntil = Math.max(known.asideUntil ?? 0, asideUntil);
    this.#resting.set(reason, known);
  }

  /** Notes why the rest of a stream is not read. */
  addStop(reason: string): void {
    this.#stops.add(reason);
  }

  describe(): string[] {
    return [...this.#stops, ...[...this.#asked.values()].map(describeAsked), ...this.#describeResting()];
  }

  /** Notes in the summary of a run what could not be read. */
  tellIn(summary: RunSummary): void {
    summary.problems.push(...this.describe());
    const unread = [...this.#asked.values(), ...this.#resting.values()];
    if (unread.length > 0) summary.unread = unread.slice(0, REASONS_KEPT).map(factsOf);
    if (this.#resting.size > 0) summary.told = this.#describeResting();
  }

  #describeResting(): string[] {
    return [...this.#resting.values()].map((unread) => {
      const facts = factsOf(unread);
      const { code } = facts.cause;
      const sentence = sayUnread(facts, (time) => time);
      return code === undefined ? sentence : `${sentence} [${code}]`;
    });
  }
}

/** Says which window could not be read, with the whole reason. */
function describeAsked({ reason, names, example, asideUntil }: Unread): string {
  const others = names.size > 1 ? ` and windows of ${names.size - 1} other series` : '';
  const aside = asideUntil === undefined ? '' : ` (set aside until ${toSecond(asideUntil)})`;
  return `${example}${others} cannot be read${aside}: ${reason}`;
}

function factsOf({ reason, names, asideUntil }: Unread): UnreadSeries {
  const [series = ''] = names;
  const facts = { series, others: names.size - 1, cause: causeOf(reason) };
  return asideUntil === undefined ? facts : { ...facts, asideUntil: toSecond(asideUntil) };
}

/** Writes an instant to the second before it. */
function toSecond(micros: number): string {
  return formatInstant(Math.floor(micros / 1e6) * 1e6);
}
