import { useEffect, useState } from 'preact/hooks';
import type { BackfillPlanReply } from '../../api/backfill-plan.ts';
import type { CoverageGaps } from '../../api/coverage.ts';
import { type ApiProblem, ask, post, problemOf } from '../app/api.ts';
import { formatDuration, formatNumber, formatTime } from '../app/format.ts';
import { Act } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { coverage } from '../texts/coverage.ts';
import { sayRefusal } from '../texts/problems.ts';
import type { MapChoice } from './map-state.ts';

/** A gap to fill, as a backfill is told. */
export interface FillTarget {
  readonly from: string;
  readonly to: string;
  readonly object?: string | undefined;
  readonly property?: string | undefined;
  /** Whether it is a gap in the history of alarms. */
  readonly alarms?: boolean;
  /** What people call it. */
  readonly name: string;
}

/** What a backfill is told besides the range. The history of alarms has no objects. */
export function fillOf(
  { stream }: MapChoice,
  fill: NonNullable<CoverageGaps['fill']>,
): Omit<FillTarget, 'from' | 'to' | 'name'> {
  return stream === 'alarms' ? { alarms: true } : fill;
}

/** A backfill of the console, as far as the dialog shows it. */
interface Backfill {
  readonly status:
    | ('waiting' | 'running' | 'done' | 'partial' | 'failed')
    | ('cancelled' | 'interrupted' | 'lost');
  readonly progress?: { readonly share: number; readonly remainingSec?: number };
  readonly problems: readonly string[];
  readonly error?: string;
}

/** Shows what it takes to fill a gap, begins the backfill, and follows it. */
export function FillDialog({
  target,
  onClose,
  onFilled,
}: {
  target: FillTarget;
  onClose: () => void;
  onFilled: () => void;
}) {
  const texts = coverage.value.dialog;
  const { name, ...order } = target;
  const { plan, problem } = usePlan(order);
  const [id, setId] = useState<number>();
  const start = async () => setId((await post<{ id: number }>('/backfills', order)).id);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p>
        <strong>{name}</strong>
        <br />
        {formatTime(target.from)} … {formatTime(target.to)}
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {sayRefusal(problem)}
        </p>
      )}
      {plan === undefined && problem === undefined && <p class="muted">{texts.working}</p>}
      {plan !== undefined && <Plan plan={plan} />}
      {plan !== undefined && plan.lines.length > 0 && id === undefined && (
        <p>
          <Act isPrimary onAct={start}>
            {texts.start}
          </Act>
        </p>
      )}
      {id !== undefined && <Following id={id} onEnd={onFilled} />}
    </Dialog>
  );
}

function usePlan(order: Omit<FillTarget, 'name'>): { plan?: BackfillPlanReply; problem?: ApiProblem } {
  const [found, setFound] = useState<{ plan?: BackfillPlanReply; problem?: ApiProblem }>({});
  const key = JSON.stringify(order);
  useEffect(() => {
    post<BackfillPlanReply>('/backfills/plan', order).then(
      (plan) => setFound({ plan }),
      (error: unknown) => setFound({ problem: problemOf(error) }),
    );
  }, [key]);
  return found;
}

function Plan({ plan }: { plan: BackfillPlanReply }) {
  const texts = coverage.value.dialog;
  const { series, seriesHours, cost, reason, notes, lines } = plan;
  if (lines.length === 0) return <p>{reason}</p>;
  const round = (value: number) => formatNumber(Number(value.toPrecision(3)));
  return (
    <>
      <p>{texts.reads(formatNumber(series), round(seriesHours))}</p>
      <p>
        {cost === undefined
          ? texts.noCost
          : texts.cost(round(cost.points), round(cost.requests), formatDuration(cost.seconds))}
      </p>
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </>
  );
}

const FOLLOW_MS = 700;
const isOver = ({ status }: Backfill) => status !== 'waiting' && status !== 'running';

/** Shows how far the backfill is, and cancels it. */
function Following({ id, onEnd }: { id: number; onEnd: () => void }) {
  const texts = coverage.value.dialog;
  const [backfill, setBackfill] = useState<Backfill>({ status: 'waiting', problems: [] });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      // The frame tells that the console does not answer. The next look may be luckier.
      const found = await ask<Backfill>(`/backfills/${id}`).catch(() => undefined);
      if (found !== undefined) setBackfill(found);
      if (found !== undefined && isOver(found)) onEnd();
      else timer = setTimeout(look, FOLLOW_MS);
    };
    void look();
    return () => clearTimeout(timer);
  }, [id]);
  const { status, progress, error, problems } = backfill;
  return (
    <>
      <p role="status" class={status === 'failed' ? 'problem' : undefined}>
        {texts[status]} {error ?? problems[0]}
      </p>
      {!isOver(backfill) && <progress aria-label={texts.running} max={1} value={progress?.share} />}
      <p class="actions">
        {!isOver(backfill) && <Act onAct={() => post(`/backfills/${id}/cancel`)}>{texts.cancel}</Act>}
        <a href="/backfills">{texts.all}</a>
      </p>
    </>
  );
}
