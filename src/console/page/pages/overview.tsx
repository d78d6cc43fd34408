import { useEffect, useState } from 'preact/hooks';
import type { DependencyReport, Readiness } from '../../readiness.ts';
import { formatShortTime } from '../app/format.ts';
import { onChange } from '../app/live.ts';
import { type Level, State } from '../parts/state.tsx';
import { overview } from '../texts/overview.ts';
import { shell } from '../texts/shell.ts';

const levels: Readonly<Record<DependencyReport['state'], Level>> = {
  up: 'ok',
  down: 'broken',
  unknown: 'idle',
};

/** Whether all is well, and if not, since when and why. */
export default function Overview() {
  const readiness = useReadiness();
  const texts = overview.value;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.overview}</h1>
      </div>
      {readiness !== undefined && (
        <>
          <p class={`banner ${readiness.ready ? 'ok' : 'broken'}`} role="status">
            <span>{readiness.ready ? texts.ready : `${texts.notReady}: ${readiness.reason ?? ''}`}</span>
          </p>
          <section>
            <h2>{texts.needs}</h2>
            <div class="cards">
              {Object.entries(readiness.dependencies).map(([name, report]) => (
                <Dependency key={name} name={name} report={report} />
              ))}
            </div>
          </section>
        </>
      )}
    </>
  );
}

function Dependency({ name, report }: { name: string; report: DependencyReport }) {
  const texts = overview.value;
  return (
    <div class="card">
      <h3>{name}</h3>
      <p>
        <State level={levels[report.state]}>{texts.states[report.state]}</State>{' '}
        <span class="muted">{texts.since(formatShortTime(report.since))}</span>
      </p>
      {report.reason !== undefined && (
        <p>
          {report.reason} {report.code !== undefined && <code>{report.code}</code>}
        </p>
      )}
    </div>
  );
}

/** Reads the readiness of the process, which also answers while the service starts. */
function useReadiness(): Readiness | undefined {
  const [readiness, setReadiness] = useState<Readiness | undefined>(undefined);
  useEffect(() => {
    const read = () =>
      fetch('/readyz')
        .then((reply) => reply.json())
        .then((found) => setReadiness(found as Readiness))
        // The frame tells that the console does not answer.
        .catch(() => undefined);
    void read();
    return onChange(['health'], read);
  }, []);
  return readiness;
}
