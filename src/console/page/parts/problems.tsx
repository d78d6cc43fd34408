import { useSignal } from '@preact/signals';
import type { OverviewReply } from '../../api/overview.ts';
import type { ReplayReply } from '../../api/rejects.ts';
import { post } from '../app/api.ts';
import { formatShortTime } from '../app/format.ts';
import { service } from '../app/service.ts';
import { FillDialog, type FillTarget } from '../coverage/fill-dialog.tsx';
import { findTarget } from '../coverage/find-target.ts';
import { viewOf } from '../coverage/time-view.ts';
import { overview as words } from '../texts/overview.ts';
import { remedyOf, saidOf, sayProblem } from '../texts/problems.ts';
import { Act } from './act.tsx';
import { Replay } from './replay.tsx';
import { State } from './state.tsx';

type Problem = OverviewReply['problems'][number];
type MissingData = Extract<Problem['facts'], { says: 'missing' }>;

interface Shown {
  readonly found: OverviewReply;
  readonly reload: () => void;
}

/** What is wrong, the worst first, each with what to do, and with a button where the console can do it. */
export function Problems({ found, reload }: Shown) {
  return (
    <section>
      <h2>{words.value.problems}</h2>
      <ol class="problems">
        {found.problems.map((problem) => (
          <li key={`${problem.kind} ${problem.subject}`} class={`card edge ${problem.level}`}>
            <Sentence problem={problem} />
            <p class="remedy">
              <Commands text={remedyOf(problem)} />
            </p>
            <Doing {...{ problem, found, reload }} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Where each kind of problem is looked at. */
const places: Readonly<Record<string, string>> = {
  gaps: '/coverage?order=missing',
  'store-behind': '/coverage?order=missing',
  rejects: '/rejects',
  'values-lost': '/rejects?stream=current',
  'run-failed': '/runs',
  'verify-differences': '/runs',
  paused: '/streams',
  'job-overdue': '/streams',
};

function Sentence({ problem }: { problem: Problem }) {
  const { level, kind, subject, since, code } = problem;
  const sentence = sayProblem(problem);
  const said = saidOf(problem);
  const texts = words.value;
  return (
    <>
      <p>
        <State level={level}>{since === undefined ? subject : texts.since(formatShortTime(since))}</State>{' '}
        {places[kind] === undefined ? sentence : <a href={places[kind]}>{sentence}</a>}{' '}
        {code !== undefined && <code class="muted">{code}</code>}
      </p>
      {said !== undefined && (
        <p class="muted small">
          {texts.original}
          {said}
        </p>
      )}
    </>
  );
}

/** A text whose commands stand between backticks. */
function Commands({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** The button that does what to do. */
function Doing({ problem: { facts }, found, reload }: Shown & { readonly problem: Problem }) {
  const texts = words.value;
  switch (facts.says) {
    case 'paused': {
      // No targets stand for everything.
      const targets = facts.target === '*' ? [] : [facts.target];
      return (
        <p class="actions">
          <Act onAct={() => post('/resume', { targets }).then(reload)}>{texts.resume}</Act>
        </p>
      );
    }
    case 'overdue':
      return <RunNow target={facts.job} />;
    case 'run-failed':
      return <RunNow target={facts.stream} />;
    case 'rejects':
      return <TryAgain onEnd={reload} />;
    case 'missing':
      return <Fill facts={facts} found={found} onFilled={reload} />;
    default:
      return null;
  }
}

function RunNow({ target }: { target: string }) {
  const isBegun = useSignal(false);
  const begin = async () => {
    await post('/trigger', { targets: [target] });
    isBegun.value = true;
  };
  return (
    <p class="actions">
      <Act onAct={begin}>{words.value.runNow}</Act>
      {isBegun.value && <span role="status">{words.value.begun}</span>}
    </p>
  );
}

function TryAgain({ onEnd }: { onEnd: () => void }) {
  const id = useSignal<number | undefined>(undefined);
  const begin = async () => {
    id.value = (await post<ReplayReply>('/rejects/replay', {})).id;
  };
  const end = () => {
    id.value = undefined;
    onEnd();
  };
  if (id.value !== undefined) return <Replay id={id.value} onEnd={end} />;
  return (
    <p class="actions">
      <Act onAct={begin}>{words.value.replay}</Act>
    </p>
  );
}

/** Opens what filling the gaps of some stores takes. The stores lack the same. */
function Fill({
  facts,
  found,
  onFilled,
}: {
  facts: MissingData;
  found: OverviewReply;
  onFilled: () => void;
}) {
  const opened = useSignal<FillTarget | undefined>(undefined);
  const store = found.stores.find(({ title }) => facts.stores.includes(title))?.store;
  const { oldest: from } = facts.gaps ?? {};
  if (service.value?.readOnly || store === undefined || from === undefined) return null;
  const open = async () => {
    const choice = { store, stream: 'history', groupBy: 'all', order: 'name' } as const;
    const place = { row: { filter: {} }, range: viewOf({ from, to: found.at }) };
    const name = words.value.allGaps;
    const target = await findTarget(choice, place, name);
    opened.value = typeof target === 'object' ? target : { from, to: found.at, name };
  };
  return (
    <div class="actions">
      <Act onAct={open}>{words.value.fill}</Act>
      {opened.value !== undefined && (
        <FillDialog
          target={opened.value}
          onFilled={onFilled}
          onClose={() => {
            opened.value = undefined;
          }}
        />
      )}
    </div>
  );
}
