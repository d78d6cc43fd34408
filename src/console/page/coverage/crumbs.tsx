import type { CoverageRow } from '../../api/coverage.ts';
import { formatDuration } from '../app/format.ts';
import { coverage } from '../texts/coverage.ts';
import type { MapChoice } from './map-state.ts';
import { spanOf, type View } from './time-view.ts';

/** A step on the way into the map: other rows, or a much shorter time. */
export interface Crumb {
  readonly choice: MapChoice;
  readonly view: View;
  /** The span when the step was taken. */
  readonly spanMs: number;
  /** Name of the row that was opened. Undefined if the step is one in time. */
  readonly row?: string;
}

/** A zoom by this factor is a step of its own. */
const STEP = 4;

export const crumbOf = (choice: MapChoice, view: View): Crumb => ({ choice, view, spanMs: spanOf(view) });

/** Follows a view: a much shorter one is a step further, and one as long as an earlier step leads back. */
export function followView(crumbs: readonly Crumb[], view: View): readonly Crumb[] {
  const last = crumbs.at(-1) as Crumb;
  const span = spanOf(view);
  if (span * STEP <= last.spanMs) return [...crumbs, { choice: last.choice, view, spanMs: span }];
  let kept = crumbs;
  while (kept.length > 1 && isBack(kept, span)) kept = kept.slice(0, -1);
  const here = kept.at(-1) as Crumb;
  return [...kept.slice(0, -1), { ...here, view, spanMs: Math.max(span, here.spanMs) }];
}

function isBack(crumbs: readonly Crumb[], span: number): boolean {
  const [before, last] = crumbs.slice(-2) as [Crumb, Crumb];
  return last.row === undefined && span >= spanOf(before.view);
}

/** Opens a row: a template or a selection shows its objects, an object its series. */
export function openRow(crumbs: readonly Crumb[], row: CoverageRow, name: string): readonly Crumb[] {
  const { choice, view } = crumbs.at(-1) as Crumb;
  if (choice.groupBy === 'none') return crumbs;
  const groupBy = choice.groupBy === 'object' ? 'none' : 'object';
  return [...crumbs, { ...crumbOf({ ...choice, ...row.filter, groupBy }, view), row: name }];
}

/** The way back to where the map was before. */
export function Crumbs({
  crumbs,
  onGo,
}: {
  crumbs: readonly Crumb[];
  onGo: (crumbs: readonly Crumb[]) => void;
}) {
  const texts = coverage.value;
  const label = ({ row, view }: Crumb, k: number) =>
    row ?? (k === 0 ? texts.everything : formatDuration(spanOf(view) / 1000));
  return (
    <nav class="crumbs" aria-label={texts.crumbs}>
      <ol>
        {crumbs.map((crumb, k) => (
          <li key={`${k} ${label(crumb, k)}`}>
            {k === crumbs.length - 1 ? (
              <span aria-current="step">{label(crumb, k)}</span>
            ) : (
              <button type="button" class="quiet" onClick={() => onGo(crumbs.slice(0, k + 1))}>
                {label(crumb, k)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
