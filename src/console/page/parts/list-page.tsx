import type { ComponentChildren } from 'preact';
import type { UseApiOptions } from '../app/api.ts';
import { type Page, usePaged } from '../app/paged.ts';
import { records } from '../texts/records.ts';
import { Answered } from './answered.tsx';
import { Filters, TextFilter } from './filters.tsx';
import { More } from './more.tsx';
import { Table, type TableProps } from './table.tsx';

interface ListPageProps<T, P extends Page<T>>
  extends Pick<TableProps<T>, 'columns' | 'keyOf' | 'below' | 'empty'>,
    Pick<Required<UseApiOptions>, 'topics'> {
  readonly title: string;
  /** What is asked of the API, with the filters. */
  readonly path: string;
  /** The filters before the range of time. */
  readonly filters: ComponentChildren;
  /** The filters behind the range of time. */
  readonly lastFilters?: ComponentChildren;
  /** What the first page tells besides its items, above the table. */
  readonly above?: (page: P) => ComponentChildren;
}

/** A page of what happened: filters, among them a range of time, and a list of which more can be read. */
export function ListPage<T, P extends Page<T> = Page<T>>({
  title,
  path,
  topics,
  filters,
  lastFilters,
  above,
  ...table
}: ListPageProps<T, P>) {
  const { answer, items, more } = usePaged<T, P>(path, table.keyOf, { topics });
  const texts = records.value;
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      <Filters>
        {filters}
        <TextFilter name="from" title={texts.from} hint={texts.timeHint} />
        <TextFilter name="to" title={texts.to} hint={texts.timeHint} />
        {lastFilters}
      </Filters>
      <Answered answer={answer}>
        {(page) => (
          <>
            {above?.(page)}
            <Table caption={title} rows={items} {...table} />
            <More more={more} />
          </>
        )}
      </Answered>
    </>
  );
}
