import type { List } from './plant/collection.ts';
import { numberParameter, type Query } from './query.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

const memberNames = {
  pageIndex: ['pageIndex', 'pageSize'],
  current: ['current', 'size'],
  page: ['page', 'pagesize'],
} as const;

/**
 * Cuts one page out of a list. `page` counts from 1, and `per_page` is 20 by default and at most 100. Other
 * values are refused with 800003. The reply has `list` and `pagination` as the dialect spells them.
 */
export function pageOf<T>(list: List<T>, query: Query, dialect: SimulatorDialect): object {
  const asked = numberParameter(query, 'page', { min: 1, max: Number.MAX_SAFE_INTEGER, default: 1 });
  const size = Math.min(
    numberParameter(query, 'per_page', { min: 1, max: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
    dialect.maxPageSize ?? MAX_PAGE_SIZE,
  );
  const page = dialect.ignorePage ? 1 : asked;
  const records = recordsOfPage(list, page, { size, pastEnd: dialect.pastEnd });
  if (dialect.pagination === 'absent') return { list: records };
  const [indexName, sizeName] = memberNames[dialect.paginationNames];
  const total = statedTotal(list.length, { page, size, form: dialect.total });
  return {
    list: records,
    pagination: { [indexName]: page, [sizeName]: size, ...(total === undefined ? {} : { total }) },
  };
}

function recordsOfPage<T>(
  list: List<T>,
  page: number,
  form: { size: number; pastEnd: SimulatorDialect['pastEnd'] },
): T[] {
  let from = (page - 1) * form.size;
  if (from >= list.length && page > 1 && list.length > 0) {
    if (form.pastEnd === 'short') from = list.length - 1;
    if (form.pastEnd === 'last-page') from = Math.floor((list.length - 1) / form.size) * form.size;
  }
  const records: T[] = [];
  for (let index = from; index < Math.min(from + form.size, list.length); index += 1)
    records.push(list.at(index));
  return records;
}

function statedTotal(
  total: number,
  { page, size, form }: { page: number; size: number; form: SimulatorDialect['total'] },
): number | string | undefined {
  switch (form) {
    case 'exact':
      return total;
    case 'absent':
      return undefined;
    case 'first-page':
      return page === 1 ? total : undefined;
    case 'first-page-size':
      return Math.min(total, size);
    case 'text':
      return String(total);
    case 'zero':
      return 0;
    case 'high':
      return total + 7;
    case 'low':
      return Math.max(0, total - 7);
  }
}
