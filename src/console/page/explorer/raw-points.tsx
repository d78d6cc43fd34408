import { useSignal } from '@preact/signals';
import type { RawPointsReply } from '../../api/explorer-points.ts';
import { formatTime } from '../app/format.ts';
import { usePaged } from '../app/paged.ts';
import { Answered } from '../parts/answered.tsx';
import { More } from '../parts/more.tsx';
import { Table } from '../parts/table.tsx';
import { explorer } from '../texts/explorer.ts';
import { queryOf, titleOf, type View } from './view.ts';

type Point = RawPointsReply['items'][number];

/** The stored points of one of the series, page by page. */
export function RawPoints({ view }: { view: View }) {
  const texts = explorer.value;
  const chosen = useSignal(view.series[0] ?? '');
  const isNewest = useSignal(false);
  const series = view.series.includes(chosen.value) ? chosen.value : (view.series[0] ?? '');
  const order = isNewest.value ? 'newest' : 'oldest';
  const path = `/explorer/points?${queryOf(view, { series, order })}`;
  const { answer, items, more } = usePaged<Point, RawPointsReply>(path, ({ at }) => at);
  return (
    <section>
      <h2>{texts.raw}</h2>
      <div class="filters">
        <label>
          {texts.series}
          <select
            value={series}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {view.series.map((name) => (
              <option key={name} value={name}>
                {titleOf(name)}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isNewest.value}
            onChange={(event) => {
              isNewest.value = event.currentTarget.checked;
            }}
          />
          {texts.newestFirst}
        </label>
      </div>
      <Answered answer={answer}>
        {() => (
          <>
            <Table
              caption={texts.raw}
              rows={items}
              keyOf={({ at }) => at}
              columns={[
                { title: texts.time, cell: ({ at }) => <PointTime at={at} /> },
                { title: texts.value, isNumber: true, cell: ({ value }) => <code>{value}</code> },
                { title: texts.quality, cell: ({ quality }) => quality ?? '' },
              ]}
            />
            <More more={more} />
          </>
        )}
      </Answered>
    </section>
  );
}

/** The time of a point, with as many decimals as it has. */
function PointTime({ at }: { at: string }) {
  const [, decimals = ''] = /(\.\d+)Z$/.exec(at) ?? [];
  return (
    <time dateTime={at} title={at}>
      {formatTime(at)}
      {decimals}
    </time>
  );
}
