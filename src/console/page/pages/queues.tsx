import type { QueuedReply, QueueReply } from '../../api/queues.ts';
import { post, useApi, withQuery } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { useFilters, usePaged } from '../app/paged.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Json } from '../parts/facts.tsx';
import { Choice, Filters } from '../parts/filters.tsx';
import { More } from '../parts/more.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Told } from '../parts/told.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';

const names = ['live', 'sync', 'bulk'] as const;
const states = ['active', 'waiting', 'delayed', 'failed', 'completed'] as const;
const EVERY_MS = 3_000;

/** The queues in Redis by which several processes share the work. */
export default function Queues() {
  const { filters } = useFilters();
  const queue = names.find((name) => name === filters.queue) ?? names[0];
  const answer = useApi<{ items: QueueReply[] }>('/queues', { everyMs: EVERY_MS });
  const texts = records.value.queues;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.queues}</h1>
      </div>
      <Answered answer={answer}>
        {({ items }) => (
          <>
            <Table
              caption={shell.value.pages.queues}
              rows={items}
              keyOf={({ name }) => name}
              columns={queueColumns()}
            />
            <section>
              <Filters>
                <Choice
                  name="queue"
                  title={texts.queue}
                  none={names[0]}
                  values={names.slice(1).map((name) => [name, name] as const)}
                />
                <Choice
                  name="state"
                  title={records.value.state}
                  none={texts.states.active}
                  values={states.slice(1).map((state) => [state, texts.states[state]] as const)}
                />
              </Filters>
              <Jobs queue={queue} state={filters.state} />
            </section>
          </>
        )}
      </Answered>
    </>
  );
}

function queueColumns(): Column<QueueReply>[] {
  const texts = records.value.queues;
  return [
    { title: texts.queue, cell: ({ name }) => <strong>{name}</strong> },
    { title: texts.workers, isNumber: true, cell: ({ workers }) => formatNumber(workers) },
    ...states.map((state) => ({
      title: texts.states[state],
      isNumber: true,
      cell: ({ counts }: QueueReply) => formatNumber(counts[state] ?? 0),
    })),
  ];
}

function Jobs({ queue, state }: { queue: string; state: string | undefined }) {
  const path = withQuery(`/queues/${queue}/jobs`, { state });
  const { answer, items, more } = usePaged<QueuedReply, { items: QueuedReply[] }>(path, ({ id }) => id, {
    everyMs: EVERY_MS,
  });
  const retry = (id: string) =>
    post(`/queues/${queue}/jobs/${encodeURIComponent(id)}/retry`).then(answer.reload);
  return (
    <Answered answer={answer}>
      {() => (
        <>
          <Table
            caption={queue}
            rows={items}
            keyOf={({ id }) => id}
            columns={jobColumns(state === 'failed' ? retry : undefined)}
            below={({ error }) =>
              error && (
                <span class="problem">
                  <Told text={error} />
                </span>
              )
            }
          />
          <More more={more} />
        </>
      )}
    </Answered>
  );
}

function jobColumns(retry: ((id: string) => Promise<void>) | undefined): Column<QueuedReply>[] {
  const texts = records.value.queues;
  const time = (at: string | undefined) => at && <Time at={at} />;
  return [
    { title: texts.job, cell: ({ name }) => <strong>{name}</strong> },
    { title: texts.added, cell: ({ addedAt }) => time(addedAt) },
    { title: texts.due, cell: ({ dueAt }) => time(dueAt) },
    { title: records.value.runs.began, cell: ({ begunAt }) => time(begunAt) },
    { title: texts.ended, cell: ({ endedAt }) => time(endedAt) },
    { title: texts.attempts, isNumber: true, cell: ({ attempts }) => formatNumber(attempts) },
    {
      title: texts.piece,
      cell: ({ data }) => data !== null && Object.keys(data as object).length > 0 && <Json value={data} />,
    },
    {
      title: '',
      cell: ({ id }) => retry && <Act onAct={() => retry(id)}>{texts.retry}</Act>,
    },
  ];
}
