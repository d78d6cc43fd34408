import type { OptionReply } from '../../api/configuration.ts';
import { useApi } from '../app/api.ts';
import { useFilters } from '../app/paged.ts';
import { Answered } from '../parts/answered.tsx';
import { Choice, Filters, TextFilter } from '../parts/filters.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';

/** The configuration of the service, and where each value came from. */
export default function Configuration() {
  const { filters } = useFilters();
  const answer = useApi<{ items: OptionReply[] }>('/configuration');
  const texts = records.value.configuration;
  const search = (filters.search ?? '').toLowerCase();
  const isShown = ({ path, value, origin, about = '' }: OptionReply) =>
    value !== undefined &&
    (filters.only === undefined || origin.kind !== 'default') &&
    `${path} ${about}`.toLowerCase().includes(search);
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.configuration}</h1>
      </div>
      <p class="muted">{texts.hint}</p>
      <Filters>
        <TextFilter name="search" title={texts.search} />
        <Choice name="only" title={texts.only} values={[['set', texts.set]]} />
      </Filters>
      <Answered answer={answer}>
        {({ items }) => (
          <Table
            caption={shell.value.pages.configuration}
            rows={items.filter(isShown)}
            keyOf={({ path }) => path}
            columns={columns()}
          />
        )}
      </Answered>
    </>
  );
}

function columns(): Column<OptionReply>[] {
  const texts = records.value.configuration;
  return [
    {
      title: texts.option,
      cell: ({ path, about }) => (
        <>
          <code>{path}</code>
          {about !== undefined && (
            <div class="muted" lang="en">
              {about}
            </div>
          )}
        </>
      ),
    },
    {
      title: texts.value,
      cell: ({ value }) => <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>,
    },
    { title: texts.origin, cell: ({ origin }) => describe(origin) },
  ];
}

function describe({ kind, file = '', line, variables = [], option = '' }: OptionReply['origin']) {
  const texts = records.value.configuration;
  if (kind === 'default') return <span class="muted">{texts.default}</span>;
  if (kind === 'commandLine') return texts.commandLine;
  if (kind === 'secretFile') return texts.secretFile(file, option);
  const places = kind === 'file' ? [line === undefined ? file : texts.line(file, String(line))] : [];
  return [...places, ...variables.map(texts.variable)].join(' · ');
}
