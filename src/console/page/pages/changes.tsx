import type { ChangeReply } from '../../api/changes.ts';
import { withQuery } from '../app/api.ts';
import { useFilters, usePaged } from '../app/paged.ts';
import { Answered } from '../parts/answered.tsx';
import { Json } from '../parts/facts.tsx';
import { Choice, Filters, TextFilter } from '../parts/filters.tsx';
import { More } from '../parts/more.tsx';
import { type Level, State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';

const kinds = ['updated', 'deleted', 'restored'] as const;
const levels: Readonly<Record<ChangeReply['kind'], Level>> = {
  updated: 'busy',
  deleted: 'broken',
  restored: 'ok',
};

/** How rows of the directory changed: before and after. */
export default function Changes() {
  const { filters } = useFilters();
  const { table, key, kind, from, to } = filters;
  const path = withQuery('/changes', { table, key, kind, from, to });
  const { answer, items, more } = usePaged<ChangeReply, { items: ChangeReply[] }>(path, ({ id }) => id, {
    topics: ['changes'],
  });
  const texts = records.value;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.changes}</h1>
      </div>
      <Filters>
        <TextFilter name="table" title={texts.changes.table} hint="objects" />
        <TextFilter name="key" title={texts.key} hint={texts.changes.keyHint} />
        <Choice
          name="kind"
          title={texts.changes.change}
          values={kinds.map((each) => [each, texts.changes.kinds[each]] as const)}
        />
        <TextFilter name="from" title={texts.from} hint={texts.timeHint} />
        <TextFilter name="to" title={texts.to} hint={texts.timeHint} />
      </Filters>
      <Answered answer={answer}>
        {() => (
          <>
            <Table
              caption={shell.value.pages.changes}
              rows={items}
              empty={table || key || kind || from || to ? texts.noMatch : texts.changes.empty}
              keyOf={({ id }) => id}
              columns={columns()}
            />
            <More more={more} />
          </>
        )}
      </Answered>
    </>
  );
}

function columns(): Column<ChangeReply>[] {
  const texts = records.value.changes;
  return [
    { title: texts.at, cell: ({ at }) => <Time at={at} /> },
    { title: texts.table, cell: ({ table }) => table },
    { title: texts.row, cell: ({ key }) => <Key of={key} /> },
    { title: texts.change, cell: ({ kind }) => <State level={levels[kind]}>{texts.kinds[kind]}</State> },
    { title: `${records.value.from} → ${records.value.to}`, cell: (change) => <Columns of={change} /> },
  ];
}

function Key({ of }: { of: ChangeReply['key'] }) {
  return (
    <strong>
      {Object.values(of)
        .map((value) => String(value))
        .join(' / ')}
    </strong>
  );
}

function Columns({ of: { kind, columns: changed } }: { of: ChangeReply }) {
  if (changed.length === 0)
    return <span class="muted">{kind === 'updated' ? '' : records.value.changes.none}</span>;
  return (
    <dl class="facts">
      {changed.map(({ name, before, after }) => [
        <dt key={`${name}:`}>{name}</dt>,
        <dd key={name}>
          <Json value={before} /> → <Json value={after} />
        </dd>,
      ])}
    </dl>
  );
}
