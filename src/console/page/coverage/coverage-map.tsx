import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { CoverageReply, CoverageRow, CoverageSources } from '../../api/coverage.ts';
import { useApi } from '../app/api.ts';
import { formatNumber, formatShare, formatTime } from '../app/format.ts';
import { onChange } from '../app/live.ts';
import { service } from '../app/service.ts';
import { coverage } from '../texts/coverage.ts';
import { sayRefusal } from '../texts/problems.ts';
import { type Crumb, Crumbs, crumbOf, followView, openRow } from './crumbs.tsx';
import { FillDialog, type FillTarget } from './fill-dialog.tsx';
import { findTarget } from './find-target.ts';
import { GapTable } from './gap-table.tsx';
import { MapCanvas } from './map-canvas.tsx';
import type { Cell, Cursor } from './map-cell.ts';
import { type MapChoice, pathOf, timesOf, writeAddress } from './map-state.ts';
import { MapTip } from './map-tip.tsx';
import { Choices, Legend, Tools } from './map-tools.tsx';
import { RowStore } from './row-store.ts';
import { type View, viewOf } from './time-view.ts';

/** Rows are asked for when a view has rested for this long. */
const SETTLE_MS = 150;
/** Runs end often. What they stored is shown at most this often. */
const REFRESH_MS = 3_000;

/** The map with all that belongs to it. */
export function CoverageMap({
  sources,
  first,
}: {
  sources: CoverageSources;
  first: { readonly choice: MapChoice; readonly view: View };
}) {
  const [crumbs, setCrumbs] = useState<readonly Crumb[]>([crumbOf(first.choice, first.view)]);
  const { choice, view } = crumbs.at(-1) as Crumb;
  const settled = useSettled(view);
  const [version, refresh] = useVersion();
  const [target, setTarget] = useState<FillTarget>();
  useEffect(() => writeAddress(choice, settled), [choice, settled]);
  const setView = useCallback((to: View) => setCrumbs((before) => followView(before, to)), []);
  const setChoice = (change: Partial<MapChoice>) => setCrumbs([crumbOf({ ...choice, ...change }, view)]);
  const open = (row: CoverageRow) => setCrumbs((before) => openRow(before, row, nameRow(choice, row)));
  const source = sources.streams.find(({ name }) => name === choice.stream);
  const store = source?.stores.find(({ id }) => id === choice.store);
  const canFill = service.value?.readOnly === false;
  const pick = async (cell: Cell) => {
    const isGap = cell.share !== null && cell.share < 1;
    const found = canFill && isGap ? await findTarget(choice, cell, nameRow(choice, cell.row)) : undefined;
    if (found === 'too many') open(cell.row);
    else setTarget(found);
  };
  return (
    <>
      <Choices sources={sources} choice={choice} onChange={setChoice} />
      <Crumbs crumbs={crumbs} onGo={setCrumbs} />
      <div class="card map-frame">
        <Tools
          view={view}
          whole={store?.wanted && viewOf(store.wanted)}
          now={Date.parse(sources.now)}
          onView={setView}
        />
        <Picture
          {...{ choice, view, settled, version, canFill }}
          onView={setView}
          onPick={(cell) => void pick(cell)}
          onOpen={open}
          onBack={() => setCrumbs((before) => (before.length > 1 ? before.slice(0, -1) : before))}
        />
      </div>
      <GapTable {...{ choice, version, canFill }} view={settled} onFill={setTarget} />
      {target !== undefined && (
        <FillDialog target={target} onClose={() => setTarget(undefined)} onFilled={refresh} />
      )}
    </>
  );
}

interface PictureProps {
  readonly choice: MapChoice;
  readonly view: View;
  readonly settled: View;
  readonly version: number;
  readonly canFill: boolean;
  readonly onView: (view: View) => void;
  readonly onPick: (cell: Cell) => void;
  readonly onOpen: (row: CoverageRow) => void;
  readonly onBack: () => void;
}

/** The picture, its tip, its legend, and one sentence that says the same. */
function Picture({ choice, view, settled, version, canFill, ...actions }: PictureProps) {
  const [drawn, setDrawn] = useState(0);
  const [columns, setColumns] = useState(0);
  const rows = useMemo(() => new RowStore(() => setDrawn((count) => count + 1)), []);
  const cursor = useSignal<Cursor | undefined>(undefined);
  useEffect(() => () => rows.close(), [rows]);
  if (columns > 0) rows.show(choice, settled, { columns, version });
  const summary = useSummary(choice, settled, version);
  const nameOf = (row: CoverageRow) => nameRow(choice, row);
  return (
    <>
      <MapCanvas
        {...{ rows, view, drawn, cursor, summary, nameOf, ...actions }}
        shareOf={({ share }) => (share === null ? '–' : formatShare(share))}
        onColumns={setColumns}
      />
      <MapTip {...{ cursor, rows, choice, canFill, nameOf }} />
      <Legend />
      {rows.problem !== undefined && <p class="problem">{sayRefusal(rows.problem)}</p>}
      <p>{summary}</p>
    </>
  );
}

function nameRow({ groupBy }: MapChoice, { name, title }: CoverageRow): string {
  if (groupBy === 'template' && name === '') return coverage.value.noTemplate;
  return groupBy === 'object' && title?.trim() && title !== name ? `${name} · ${title}` : name;
}

/** One sentence that says how much of everything that the map shows is stored. */
function useSummary(choice: MapChoice, view: View, version: number): string {
  const texts = coverage.value;
  const all = { ...choice, groupBy: 'all', order: 'name' } as const;
  const answer = useApi<CoverageReply>(pathOf('/coverage', all, { ...timesOf(view), columns: 1, limit: 1 }));
  useEffect(() => void (version > 0 && answer.reload()), [version]);
  const [row] = answer.data?.rows ?? [];
  if (answer.data === undefined) return '';
  if (row === undefined) return texts.noSeries;
  if (row.share === null) return texts.nothingWanted;
  const [from, to] = [formatTime(view.from), formatTime(view.to)];
  return texts.summary(formatShare(row.share), formatNumber(row.series), choice.store, from, to);
}

/** Returns a view once it has not changed for a moment. */
function useSettled(view: View): View {
  const [settled, setSettled] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(view), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return settled;
}

/** A number that grows when coverage may have changed, and the function that makes it grow at once. */
function useVersion(): [number, () => void] {
  const [version, setVersion] = useState(0);
  const refresh = useCallback(() => setVersion((before) => before + 1), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(['runs'], () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        refresh();
      }, REFRESH_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [refresh]);
  return [version, refresh];
}
