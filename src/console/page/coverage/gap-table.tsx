import { useEffect, useMemo } from 'preact/hooks';
import type { CoverageGaps } from '../../api/coverage.ts';
import { useApi } from '../app/api.ts';
import { formatDuration, formatNumber, formatTime } from '../app/format.ts';
import { Answered } from '../parts/answered.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { coverage } from '../texts/coverage.ts';
import { type FillTarget, fillOf } from './fill-dialog.tsx';
import { type MapChoice, pathOf, timesOf } from './map-state.ts';
import type { View } from './time-view.ts';

const LIMIT = 25;
type Gap = CoverageGaps['items'][number];

/** The gaps of what the map shows, largest first: the same for those who do not see the picture. */
export function GapTable({
  choice,
  view,
  version,
  canFill,
  onFill,
}: {
  choice: MapChoice;
  view: View;
  /** Changes when the gaps are to be asked for again. */
  version: number;
  canFill: boolean;
  onFill: (target: FillTarget) => void;
}) {
  const texts = coverage.value;
  const { groupBy: _, order: __, ...place } = choice;
  const path = pathOf('/coverage/gaps', place, { ...timesOf(view), limit: LIMIT });
  const answer = useApi<CoverageGaps>(path);
  // The first question is asked by the path.
  useEffect(() => void (version > 0 && answer.reload()), [version]);
  const columns = useMemo(
    () => [
      { title: texts.from, cell: (gap: Gap) => <Time at={gap.from} isLong /> },
      { title: texts.to, cell: (gap: Gap) => <Time at={gap.to} isLong /> },
      { title: texts.duration, isNumber: true, cell: (gap: Gap) => formatDuration(secondsOf(gap)) },
      { title: texts.series, isNumber: true, cell: (gap: Gap) => formatNumber(gap.series) },
      { title: texts.first, cell: nameOf },
      ...(canFill
        ? [{ title: '', cell: (gap: Gap) => <FillButton gap={gap} choice={choice} onFill={onFill} /> }]
        : []),
    ],
    [texts, canFill, choice, onFill],
  );
  return (
    <section>
      <h2>{texts.gapsTitle}</h2>
      <Answered answer={answer}>
        {({ items, more, series }) =>
          items.length === 0 ? (
            <p>{series === 0 ? texts.noSeries : texts.noGaps}</p>
          ) : (
            <>
              {more && <p class="muted">{texts.mostShown(formatNumber(items.length))}</p>}
              <Table
                caption={`${texts.gapsTitle}: ${formatTime(view.from)} … ${formatTime(view.to)}`}
                rows={items}
                keyOf={(gap) => `${gap.from} ${gap.to}`}
                columns={columns}
              />
            </>
          )
        }
      </Answered>
    </section>
  );
}

function FillButton({
  gap,
  choice,
  onFill,
}: {
  gap: Gap;
  choice: MapChoice;
  onFill: (target: FillTarget) => void;
}) {
  const texts = coverage.value;
  const { fill, from, to } = gap;
  if (fill === undefined) return <span class="muted">{texts.tooMany}</span>;
  const name = gap.series === 1 ? nameOf(gap) : texts.seriesCount(formatNumber(gap.series));
  return (
    <button type="button" class="quiet" onClick={() => onFill({ ...fillOf(choice, fill), from, to, name })}>
      {texts.fill}
    </button>
  );
}

function nameOf({ first: { object, property } }: Gap): string {
  return property === '' ? object : `${object}.${property}`;
}

const secondsOf = ({ from, to }: Gap) => (Date.parse(to) - Date.parse(from)) / 1000;
