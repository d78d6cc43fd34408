import type { DriftReply } from '../../api/drift.ts';
import { withQuery } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { useFilters, usePaged } from '../app/paged.ts';
import { Answered } from '../parts/answered.tsx';
import { Json } from '../parts/facts.tsx';
import { Filters, TextFilter } from '../parts/filters.tsx';
import { More } from '../parts/more.tsx';
import { State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';

/** How the records of the platform differ from what is declared. */
export default function Drift() {
  const { filters } = useFilters();
  const path = withQuery('/drift', { stream: filters.stream });
  const { answer, items, more } = usePaged<DriftReply, { items: DriftReply[] }>(path, keyOf, {
    topics: ['drift'],
  });
  const texts = records.value;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.drift}</h1>
      </div>
      <Filters>
        <TextFilter name="stream" title={texts.stream} />
      </Filters>
      <Answered answer={answer}>
        {() =>
          items.length === 0 && filters.stream === undefined ? (
            <p class="banner ok" role="status">
              <span>{texts.drift.none}</span>
            </p>
          ) : (
            <>
              <Table caption={shell.value.pages.drift} rows={items} keyOf={keyOf} columns={columns()} />
              <More more={more} />
              <Meanings />
            </>
          )
        }
      </Answered>
    </>
  );
}

/** What the kinds of drift mean, and what to do. */
function Meanings() {
  const { kinds, meaning, meanings, stays } = records.value.drift;
  return (
    <section>
      <h2>{meaning}</h2>
      <dl class="meanings">
        {(['missing', 'new', 'retyped'] as const).map((kind) => [
          <dt key={`${kind}:`}>
            <State level="late">{kinds[kind]}</State>
          </dt>,
          <dd key={kind}>{meanings[kind]}</dd>,
        ])}
      </dl>
      <p class="muted">{stays}</p>
    </section>
  );
}

const keyOf = ({ stream, table, member, kind }: DriftReply) => [stream, table, member, kind].join('\n');

function columns(): Column<DriftReply>[] {
  const texts = records.value;
  return [
    { title: texts.stream, cell: ({ stream }) => <strong>{stream}</strong> },
    { title: texts.drift.table, cell: ({ table }) => table },
    { title: texts.drift.member, cell: ({ member }) => <code>{member}</code> },
    { title: texts.kind, cell: ({ kind }) => <State level="late">{texts.drift.kinds[kind]}</State> },
    { title: texts.drift.records, isNumber: true, cell: ({ count }) => formatNumber(count) },
    { title: texts.drift.since, cell: ({ since }) => <Time at={since} /> },
    { title: texts.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
    { title: texts.sample, cell: ({ sample }) => (sample === null ? '' : <Json value={sample} />) },
  ];
}
