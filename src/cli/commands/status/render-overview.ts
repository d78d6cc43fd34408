import { withCode } from '../../../errors.ts';
import { briefReason } from '../../../sync/brief-reason.ts';
import { clockText, spanText } from '../../../sync/count-text.ts';
import type { Overview, Problem, SeenDependency, Teller } from '../../../sync/status/overview-types.ts';
import { formatNumber, type Line, makeTable } from '../../output/table.ts';

/** Problems that are shown in full. */
const PROBLEMS_SHOWN = 12;

/** Renders the head of the status: the answer in one sentence, then what to do, then who is alive. */
export function renderOverview(found: Overview): Line[] {
  const { problems, sentence } = found;
  const [first] = problems;
  const isSaid = problems.length === 1 && first?.sentence === sentence;
  const more = problems.length - PROBLEMS_SHOWN;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  return [
    sentence,
    ...(isSaid ? [`  ${remedyOf(first)}`] : shown.flatMap(renderProblem)),
    ...(more > 0 ? [`- and ${formatNumber(more)} more (--json lists all)`] : []),
    '',
    makeTable(
      ['', 'state', 'since', { title: 'about', wrap: 20 }],
      [
        ...found.services.map((each) => renderService(each, found.at)),
        ...found.dependencies.map((each) => renderDependency(each, found.at)),
        renderToken(found),
      ],
    ),
    ...renderStores(found),
  ];
}

function remedyOf({ remedy, code }: Problem): string {
  return code === undefined ? remedy : withCode(code, remedy);
}

function renderProblem(problem: Problem): string[] {
  return [`- ${problem.sentence}`, `    ${remedyOf(problem)}`];
}

function renderService(
  { host, pid, role, since, lastBeat, isAlive }: Overview['services'][number],
  at: string,
) {
  const agoSec = (Date.parse(at) - Date.parse(lastBeat)) / 1000;
  const about = `role ${role}, process ${pid} on ${host}; seen ${spanText(agoSec)} ago`;
  return ['service', isAlive ? 'alive' : 'silent', second(since, at), about];
}

function renderDependency(found: SeenDependency, at: string): string[] {
  const { title, state, since, servers, reason, lastAway, toldBy } = found;
  const about =
    state === 'up'
      ? [...(servers === undefined ? [] : [servers]), ...describeAbsence(lastAway, { at, word: 'away' })]
      : [briefReason(reason ?? ''), `told by ${describeTeller(toldBy)}`];
  const words = { up: 'up', down: 'away', unknown: 'unknown' };
  return [title.replace(/^the /, ''), words[state], second(since, at), about.join('; ')];
}

/** The last absence is shown for a day. */
const SHOWN_MS = 86_400_000;

function describeAbsence(
  absence: SeenDependency['lastAway'],
  { at, word }: { at: string; word: string },
): string[] {
  const nowMs = Date.parse(at);
  if (absence === undefined || Date.parse(absence.to) < nowMs - SHOWN_MS) return [];
  const { from, to, reason } = absence;
  return [`${word} ${clockText(from, nowMs)} to ${clockText(to, nowMs)}: ${briefReason(reason)}`];
}

function describeTeller(teller: Teller): string {
  return teller === 'this look' ? 'this command' : `the service on ${teller.host}`;
}

function renderToken({ token, at }: Overview): string[] {
  const { state, since, reason, validUntil, lastAway } = token;
  const about = [
    ...(state === 'down' ? [briefReason(reason ?? '')] : []),
    ...(validUntil === undefined ? [] : [`valid until ${second(validUntil, at)}`]),
    ...(state === 'up' ? describeAbsence(lastAway, { at, word: 'refused' }) : []),
  ];
  const words = { up: 'valid', down: 'refused', unknown: validUntil === undefined ? 'unknown' : 'valid' };
  return ['access token', words[state], second(since, at), about.join('; ')];
}

function renderStores({ stores, gapsAgeSec, unread, at }: Overview): Line[] {
  if (unread !== undefined || stores.length === 0) return [];
  const rows = stores.map(({ title, storedUpTo, behindSec, seriesBehind, gaps, waiting }) => [
    title,
    storedUpTo === undefined ? 'not yet' : second(storedUpTo, at),
    behindSec === undefined ? '' : spanText(behindSec),
    seriesBehind,
    gaps.hours,
    gaps.series,
    gaps.oldest === undefined ? '' : second(gaps.oldest, at),
    waiting,
  ]);
  const age = gapsAgeSec >= 2 ? [`gaps as of ${gapsAgeSec} s ago`] : [];
  const head = [
    'store',
    'stored up to',
    'behind',
    { title: 'late series', drop: 3 },
    'gap hours',
    { title: 'in series', drop: 2 },
    'oldest gap',
    { title: 'waiting', drop: 1 },
  ];
  return ['', makeTable(head, rows), ...age];
}

/** Formats a time (ISO 8601) to the second, without the day of today. An unknown time is an empty text. */
function second(time: string, at: string): string {
  return time === '' ? '' : clockText(time, Date.parse(at));
}
