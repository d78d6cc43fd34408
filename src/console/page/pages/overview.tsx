import type { OverviewReply } from '../../api/overview.ts';
import { useApi } from '../app/api.ts';
import { formatDuration, formatNumber, formatShortTime } from '../app/format.ts';
import { useReadiness } from '../app/readiness.ts';
import { Answered } from '../parts/answered.tsx';
import { Problems } from '../parts/problems.tsx';
import { type Level, State } from '../parts/state.tsx';
import { Ago, Time } from '../parts/time.tsx';
import { overview as words } from '../texts/overview.ts';
import { sayOverview, sayReason } from '../texts/problems.ts';
import { shell } from '../texts/shell.ts';

type StateOf = 'up' | 'down' | 'unknown';
const levels: Readonly<Record<StateOf, Level>> = { up: 'ok', down: 'broken', unknown: 'idle' };
const REFRESH_MS = 10_000;

/** Whether all is well, and if not, since when, why, and what to do. */
export default function OverviewPage() {
  const answer = useApi<OverviewReply>('/overview', {
    topics: ['health', 'control', 'rejects'],
    everyMs: REFRESH_MS,
  });
  const readiness = useReadiness();
  const texts = words.value;
  const isStarting = answer.problem?.code === 'console.not_running';
  return (
    <>
      <h1 class="unseen">{shell.value.pages.overview}</h1>
      {isStarting && readiness !== undefined ? (
        <>
          <p class="banner late" role="status">
            <strong>{texts.starting}</strong>
            {readiness.reason !== undefined && <span>: {sayReason(readiness)}</span>}
          </p>
          <Dependencies
            dependencies={Object.entries(readiness.dependencies).map(([name, report]) => ({
              name,
              title: name,
              ...report,
            }))}
          />
        </>
      ) : (
        <Answered answer={answer}>{(found) => <Found found={found} reload={answer.reload} />}</Answered>
      )}
    </>
  );
}

function Found({ found, reload }: { found: OverviewReply; reload: () => void }) {
  const texts = words.value;
  return (
    <>
      <div class={`banner headline ${found.level}`} role="status">
        <strong>{texts.levels[found.level]}</strong>
        <span>{sayOverview(found)}</span>
      </div>
      {found.problems.length > 0 && <Problems found={found} reload={reload} />}
      <Stores found={found} />
      <Dependencies dependencies={found.dependencies} token={found.token} />
      <Services services={found.services} />
      {found.backfills.length > 0 && (
        <section>
          <h2>{texts.backfills}</h2>
          <ul class="list">
            {found.backfills.map(({ run, stream, since }) => (
              <li key={run}>
                <State level="busy">
                  <a href="/backfills">{texts.backfill(String(run), stream)}</a>
                </State>
                <span class="muted">{texts.since(formatShortTime(since))}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Stores({ found: { stores, series } }: { found: OverviewReply }) {
  const texts = words.value;
  return (
    <section>
      <h2>
        {texts.stores} <small class="muted">{texts.series(formatNumber(series))}</small>
      </h2>
      <div class="cards">
        {stores.map(({ store, title, storedUpTo, behindSec, seriesBehind, gaps, waiting }) => (
          <div key={store} class="card">
            <h3>{title}</h3>
            <p class="figure">
              {storedUpTo === undefined && seriesBehind < series ? (
                texts.upToDate(formatNumber(series - seriesBehind), formatNumber(series))
              ) : (
                <>
                  <small class="muted">{texts.storedUpTo}</small>{' '}
                  {storedUpTo === undefined ? texts.nothing : <Time at={storedUpTo} />}
                </>
              )}
            </p>
            <p>
              {seriesBehind > 0 && behindSec !== undefined && (
                <State level="late">{texts.behind(formatDuration(behindSec))}</State>
              )}{' '}
              {gaps.series > 0 ? (
                <a href="/coverage?order=missing">
                  <State level="late">
                    {texts.gaps(formatNumber(Math.ceil(gaps.hours * 10) / 10), formatNumber(gaps.series))}
                  </State>
                </a>
              ) : (
                <State level="ok">{texts.noGaps}</State>
              )}{' '}
              {waiting > 0 && <State level="late">{texts.waiting(formatNumber(waiting))}</State>}
            </p>
            <p class="muted small">
              <code>{store}</code>
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}

interface Shown {
  readonly name: string;
  readonly title: string;
  readonly state: StateOf;
  readonly since: string;
  readonly servers?: string | undefined;
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
}

function Dependencies({
  dependencies,
  token,
}: {
  dependencies: readonly Shown[];
  token?: OverviewReply['token'];
}) {
  const texts = words.value;
  return (
    <section>
      <h2>{texts.needs}</h2>
      <div class="cards">
        {dependencies.map((each) => (
          <Dependency
            key={each.name}
            title={each.name === 'platform' ? texts.platform : each.title}
            seen={each}
            said={texts.states[each.state]}
          />
        ))}
        {token !== undefined && (
          <Dependency
            title={texts.token}
            seen={token}
            said={
              token.state === 'up' && token.validUntil !== undefined
                ? `${texts.tokenStates.up} ${texts.until(formatShortTime(token.validUntil))}`
                : texts.tokenStates[token.state]
            }
          />
        )}
      </div>
    </section>
  );
}

function Dependency({
  title,
  seen,
  said,
}: {
  title: string;
  seen: Omit<Shown, 'name' | 'title'>;
  said: string;
}) {
  return (
    <div class="card">
      <h3>{title}</h3>
      <p>
        <State level={levels[seen.state]}>{said}</State>{' '}
        {seen.since !== '' && <span class="muted">{words.value.since(formatShortTime(seen.since))}</span>}
      </p>
      {seen.servers !== undefined && <p class="muted">{seen.servers}</p>}
      {seen.reason !== undefined && seen.state !== 'up' && (
        <p>
          {sayReason(seen)} {seen.code !== undefined && <code class="muted">{seen.code}</code>}
        </p>
      )}
    </div>
  );
}

function Services({ services }: Pick<OverviewReply, 'services'>) {
  const texts = words.value;
  return (
    <section>
      <h2>{texts.services}</h2>
      {services.length === 0 ? (
        <p class="problem">{texts.noService}</p>
      ) : (
        <ul class="list">
          {services.map(({ host, pid, role, since, lastBeat, isAlive }) => (
            <li key={`${host} ${pid}`}>
              <State level={isAlive ? 'ok' : 'broken'}>{isAlive ? texts.alive : texts.silent}</State>
              <strong>{texts.role(role)}</strong>
              <span>{texts.process(host, String(pid))}</span>
              <span class="muted">
                {texts.since(formatShortTime(since))}, <Ago at={lastBeat} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
