import type { ReplayReply } from '../../api/rejects.ts';
import { useApi } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';
import { Answered } from './answered.tsx';

/** How far a replay is, and what became of its cases. */
export function Replay({ id, onEnd }: { id: number; onEnd: () => void }) {
  const answer = useApi<ReplayReply>(`/rejects/replays/${id}`, {
    topics: ['backfills', 'rejects'],
    everyMs: 2_000,
  });
  const texts = records.value.rejects;
  return (
    <Answered answer={answer}>
      {({ status, cases, error }) => {
        const isEnded = status !== 'waiting' && status !== 'running';
        const count = (outcome: keyof typeof texts.outcomes) =>
          cases.filter((each) => each.outcome === outcome).length;
        const told = (['resolved', 'refused', 'open'] as const)
          .filter((outcome) => count(outcome) > 0)
          .map((outcome) => `${formatNumber(count(outcome))} ${texts.outcomes[outcome]}`);
        const note = error ?? cases.find((each) => each.note !== undefined)?.note;
        return (
          <p class={`banner ${isEnded && status !== 'done' ? 'late' : 'ok'}`} role="status">
            <span>
              {isEnded ? [texts.replays.ended, told.join(', ')].join(': ') : texts.replays[status]}
              {isEnded && note !== undefined && `. ${note}`}
            </span>{' '}
            {isEnded && (
              <button type="button" class="quiet" onClick={onEnd}>
                {shell.value.close}
              </button>
            )}
          </p>
        );
      }}
    </Answered>
  );
}
