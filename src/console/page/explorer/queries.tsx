import type { QueriesReply } from '../../api/explorer-points.ts';
import { useApi } from '../app/api.ts';
import { Answered } from '../parts/answered.tsx';
import { Copy } from '../parts/copy.tsx';
import { explorer } from '../texts/explorer.ts';
import { queryOf, type View } from './view.ts';

const names = { sql: 'SQL', influxql: 'InfluxQL' } as const;

/** The statements that read the same points from each store, to copy. */
export function Queries({ view }: { view: View }) {
  const texts = explorer.value;
  const query = `${queryOf({ ...view, store: '' })}&${new URLSearchParams(view.series.map((name) => ['series', name]))}`;
  const answer = useApi<QueriesReply>(`/explorer/queries?${query}`);
  return (
    <section>
      <h2>{texts.queries}</h2>
      <Answered answer={answer}>
        {({ queries }) => (
          <>
            {queries.map(({ store, language, database, text }) => (
              <div key={store} class="query">
                <h3>
                  {texts.queryOf(names[language], database)} <small class="muted">{store}</small>
                </h3>
                <Copy text={text} isBlock />
              </div>
            ))}
          </>
        )}
      </Answered>
    </section>
  );
}
