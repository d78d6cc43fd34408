import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** What the explorer shows. All of it is in the address, so that a link shows the same. */
export interface View {
  /** The names of up to four series. */
  readonly series: readonly string[];
  /** Times as the API takes them. */
  readonly from: string;
  readonly to: string;
  readonly store: string;
  readonly stream: string;
}

export const MOST_SERIES = 4;
export const RAW_STREAM = 'history';
const START: View = { series: [], from: '-24h', to: 'now', store: '', stream: RAW_STREAM };

/** Whether nobody has chosen a range. */
export const isUnchosen = ({ from, to }: View): boolean => from === START.from && to === START.to;

/** Reads what is shown from the address, and changes it there. */
export function useView(): [View, (change: Partial<View>) => void] {
  const { url, route } = useLocation();
  const view = useMemo(() => readView(url), [url]);
  return [view, (change) => route(addressOf({ ...view, ...change }), false)];
}

function readView(url: string): View {
  const query = new URL(url, window.location.origin).searchParams;
  const text = (name: 'from' | 'to' | 'store' | 'stream') => query.get(name) || START[name];
  return {
    series: [...new Set(query.getAll('series'))].slice(0, MOST_SERIES),
    from: text('from'),
    to: text('to'),
    store: text('store'),
    stream: text('stream'),
  };
}

/** Returns the address of the explorer with this view. */
export function addressOf(view: Partial<View>): string {
  const query = new URLSearchParams((view.series ?? []).map((name) => ['series', name]));
  for (const name of ['from', 'to', 'store', 'stream'] as const) {
    const value = view[name];
    if (value !== undefined && value !== START[name]) query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/explorer' : `/explorer?${text}`;
}

/** Returns the parameters of the API for this view, with its series or with one of them. */
export function queryOf(view: View, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ from: view.from, to: view.to, stream: view.stream, ...more });
  if (view.store !== '') query.set('store', view.store);
  return query.toString();
}

/** Returns the name of a series in requests: object and property, with a slash between. */
export function nameOf({ object, property }: { readonly object: string; readonly property: string }): string {
  return `${object.replaceAll('~', '~0').replaceAll('/', '~1')}/${property}`;
}

/** Returns the name of a series for people. */
export function titleOf(name: string): string {
  const [, object = '', property = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  return `${object.replaceAll('~1', '/').replaceAll('~0', '~')} · ${property}`;
}
