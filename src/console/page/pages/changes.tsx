import type { ChangeReply } from '../../api/changes.ts';
import { withQuery } from '../app/api.ts';
import { useFilters } from '../app/paged.ts';
import { Json } from '../parts/facts.tsx';
import { Choice, TextFilter } from '../parts/filters.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { type Level, State } from '../parts/state.tsx';
import type { Column } from '../parts/table.tsx';
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
  const texts = records.value;
  return (
    <ListPage<ChangeReply>
      title={shell.value.pages.changes}
      path={path}
      topics={['changes']}
      filters={
        <>
          <TextFilter name="table" title={texts.changes.table} hint="objects" />
          <TextFilter name="key" title={texts.key} hint={texts.changes.keyHint} />
          <Choice
            name="kind"
            title={texts.changes.change}
            values={kinds.map((each) => [each, texts.changes.kinds[each]] as const)}
          />
        </>
      }
      keyOf={({ id }) => id}
      columns={columns()}
      empty={table || key || kind || from || to ? texts.noMatch : texts.changes.empty}
    />
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
