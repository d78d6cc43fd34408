import { useLocation } from 'preact-iso';
import type { CoverageSources } from '../../api/coverage.ts';
import { useApi } from '../app/api.ts';
import { CoverageMap } from '../coverage/coverage-map.tsx';
import { type MapChoice, readAddress } from '../coverage/map-state.ts';
import type { View } from '../coverage/time-view.ts';
import { viewOf } from '../coverage/time-view.ts';
import { Answered } from '../parts/answered.tsx';
import { coverage } from '../texts/coverage.ts';
import { shell } from '../texts/shell.ts';
import '../coverage/coverage.css';

/** What each store has of the wanted data, as a picture of series and time. */
export default function Coverage() {
  const answer = useApi<CoverageSources>('/coverage/sources');
  const { query } = useLocation();
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.coverage}</h1>
      </div>
      <Answered answer={answer}>
        {(sources) => {
          const first = choose(sources, readAddress(query));
          if (first === undefined) return <p>{coverage.value.noSeries}</p>;
          return <CoverageMap sources={sources} first={first} />;
        }}
      </Answered>
    </>
  );
}

const MONTH_MS = 30 * 86_400_000;

/** Completes what the address says by what there is. Undefined if no history is read at all. */
function choose(
  { streams, now }: CoverageSources,
  { choice, view }: ReturnType<typeof readAddress>,
): { choice: MapChoice; view: View } | undefined {
  const stream = streams.find(({ name }) => name === choice.stream) ?? streams[0];
  const store = stream?.stores.find(({ id }) => id === choice.store) ?? stream?.stores[0];
  if (stream === undefined || store === undefined) return undefined;
  const end = Date.parse(now);
  return {
    choice: { groupBy: 'object', order: 'name', ...choice, stream: stream.name, store: store.id },
    view: view ?? (store.wanted ? viewOf(store.wanted) : { from: end - MONTH_MS, to: end }),
  };
}
