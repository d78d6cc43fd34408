import { useSignal } from '@preact/signals';
import type { RejectDetail, RejectReply, RejectsPage, ReplayReply } from '../../api/rejects.ts';
import { post, useApi, withQuery } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { useFilters, usePaged } from '../app/paged.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts, Json } from '../parts/facts.tsx';
import { Choice, Filters, TextFilter } from '../parts/filters.tsx';
import { More } from '../parts/more.tsx';
import { Replay } from '../parts/replay.tsx';
import { type Level, State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';

const levels: Readonly<Record<RejectReply['state'], Level>> = {
  open: 'late',
  settled: 'ok',
  dismissed: 'idle',
};

/** What could not be used: why, what was received, and what became of it. */
export default function Rejects() {
  const { filters } = useFilters();
  const { stream, kind, state } = filters;
  const path = withQuery('/rejects', { stream, kind, state });
  const { answer, items, more } = usePaged<RejectReply, RejectsPage>(path, ({ id }) => id, {
    topics: ['rejects'],
  });
  const shown = useSignal<number | undefined>(undefined);
  const replay = useSignal<number | undefined>(undefined);
  const begin = async (body: { ids?: number[]; stream?: string | undefined }) => {
    replay.value = (await post<ReplayReply>('/rejects/replay', body)).id;
  };
  const texts = records.value;
  const open = Object.entries(answer.data?.open ?? {});
  const count = open.filter(([name]) => !stream || name === stream).reduce((sum, [, each]) => sum + each, 0);
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.rejects}</h1>
        {count > 0 && (
          <span class="actions">
            <State level="late">{texts.rejects.open(formatNumber(count))}</State>
            <Act onAct={() => begin({ stream: stream || undefined })}>{texts.rejects.replayAll}</Act>
          </span>
        )}
      </div>
      <Filters>
        <Choice
          name="stream"
          title={texts.stream}
          values={open.map(([name, each]) => [name, `${name} (${formatNumber(each)})`] as const)}
        />
        <TextFilter name="kind" title={texts.kind} hint="record, point…" />
        <Choice
          name="state"
          title={texts.state}
          none={texts.rejects.none}
          values={[
            ['settled', texts.rejects.states.settled],
            ['dismissed', texts.rejects.states.dismissed],
            ['all', texts.rejects.every],
          ]}
        />
      </Filters>
      {replay.value !== undefined && (
        <Replay
          id={replay.value}
          onEnd={() => {
            replay.value = undefined;
            answer.reload();
          }}
        />
      )}
      <Answered answer={answer}>
        {() => (
          <>
            <Table
              caption={shell.value.pages.rejects}
              rows={items}
              empty={stream || kind || state ? texts.noMatch : texts.rejects.empty}
              keyOf={({ id }) => id}
              columns={columns((id) => {
                shown.value = id;
              })}
              below={({ reason, note }) => (
                <>
                  {reason} {note !== undefined && <em>{note}</em>}
                </>
              )}
            />
            <More more={more} />
          </>
        )}
      </Answered>
      {shown.value !== undefined && (
        <Case
          id={shown.value}
          onReplay={(id) => begin({ ids: [id] })}
          onClose={() => {
            shown.value = undefined;
            answer.reload();
          }}
        />
      )}
    </>
  );
}

function columns(show: (id: number) => void): Column<RejectReply>[] {
  const texts = records.value;
  return [
    { title: texts.stream, cell: ({ stream }) => <strong>{stream}</strong> },
    { title: texts.kind, cell: ({ kind }) => kind },
    { title: texts.key, cell: ({ key }) => <code class="long">{key}</code> },
    { title: texts.count, isNumber: true, cell: ({ count }) => formatNumber(count) },
    { title: texts.first, cell: ({ firstAt }) => <Time at={firstAt} /> },
    { title: texts.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
    {
      title: texts.state,
      cell: ({ state }) => <State level={levels[state]}>{texts.rejects.states[state]}</State>,
    },
    {
      title: '',
      cell: ({ id }) => (
        <button type="button" class="quiet" onClick={() => show(id)}>
          {texts.details}
        </button>
      ),
    },
  ];
}

function Case({
  id,
  onReplay,
  onClose,
}: {
  id: number;
  onReplay: (id: number) => Promise<void>;
  onClose: () => void;
}) {
  const answer = useApi<RejectDetail>(`/rejects/${id}`, { topics: ['rejects'] });
  const note = useSignal('');
  const texts = records.value.rejects;
  const dismiss = async () => {
    await post('/rejects/dismiss', { ids: [id], note: note.value });
    answer.reload();
  };
  return (
    <Dialog title={texts.case(String(id))} onClose={onClose}>
      <Answered answer={answer}>
        {(reject) => (
          <>
            <CaseFacts reject={reject} />
            {reject.state === 'open' && (
              <>
                <section class="actions">
                  <Act onAct={() => onReplay(id).then(onClose)} isPrimary>
                    {texts.replay}
                  </Act>
                </section>
                <section>
                  <label>
                    {texts.note}
                    <textarea
                      rows={2}
                      value={note.value}
                      onInput={({ currentTarget }) => {
                        note.value = currentTarget.value;
                      }}
                    />
                  </label>
                  <p class="muted">{texts.noteHint}</p>
                  {note.value.trim() !== '' && <Act onAct={dismiss}>{texts.dismiss}</Act>}
                </section>
              </>
            )}
          </>
        )}
      </Answered>
    </Dialog>
  );
}

function CaseFacts({ reject }: { reject: RejectDetail }) {
  const texts = records.value;
  const { state, settledAt, ranges } = reject;
  return (
    <>
      <Facts
        of={[
          [texts.stream, `${reject.stream} · ${reject.kind}`],
          [texts.key, <code key="key">{reject.key}</code>],
          [texts.reason, reject.reason],
          [
            texts.state,
            <State key="state" level={levels[state]}>
              {texts.rejects.states[state]}
            </State>,
          ],
          [texts.count, formatNumber(reject.count)],
          [texts.first, <Time key="first" at={reject.firstAt} isLong />],
          [texts.last, <Time key="last" at={reject.lastAt} isLong />],
          [texts.rejects.settled, settledAt && <Time key="settled" at={settledAt} isLong />],
          [texts.rejects.noteShort, reject.note],
          [
            texts.ranges,
            ranges.length > 0 &&
              ranges.map(({ from, to }) => (
                <div key={from}>
                  <Time at={from} isLong /> … <Time at={to} isLong />
                </div>
              )),
          ],
        ]}
      />
      {reject.sample !== null && (
        <section>
          <h3>{texts.sample}</h3>
          <Json value={reject.sample} />
        </section>
      )}
    </>
  );
}
