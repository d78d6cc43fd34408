import { withQuery } from '../app/api.ts';
import type { View } from './time-view.ts';

export type Grouping = 'object' | 'template' | 'selection' | 'none' | 'all';

/** The series that the map shows, and how. The address of the page holds it. */
export interface MapChoice {
  readonly store: string;
  readonly stream: string;
  readonly groupBy: Grouping;
  readonly order: 'name' | 'missing';
  readonly object?: string | undefined;
  readonly property?: string | undefined;
  readonly template?: string | undefined;
  readonly selection?: string | undefined;
}

const groupings: readonly Grouping[] = ['object', 'template', 'selection', 'none'];

/** Reads a choice from the address. What the address does not say stays open. */
export function readAddress(query: Readonly<Record<string, string>>): {
  choice: Partial<MapChoice>;
  view: View | undefined;
} {
  const { store, stream, object, property, template, selection } = query;
  const [from, to] = [Date.parse(query.from ?? ''), Date.parse(query.to ?? '')];
  const groupBy = groupings.find((each) => each === query.groupBy);
  return {
    choice: {
      ...(store && { store }),
      ...(stream && { stream }),
      ...(groupBy && { groupBy }),
      ...(query.order === 'missing' && { order: 'missing' as const }),
      ...{ object, property, template, selection },
    },
    view: from < to ? { from, to } : undefined,
  };
}

/** Writes the choice and the view into the address, without a step in the history of the browser. */
export function writeAddress(choice: MapChoice, view: View): void {
  const query = { ...choice, ...timesOf(view) };
  history.replaceState(history.state, '', addressOf(query));
}

function addressOf(query: Readonly<Record<string, string | undefined>>): string {
  const text = withQuery('/coverage', query);
  // An empty template means objects whose template is not known.
  return query.template === '' ? `${text}&template=` : text;
}

export function timesOf({ from, to }: View): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** The path that asks the API about the series of a choice. */
export function pathOf(
  path: string,
  choice: Partial<MapChoice>,
  more: Readonly<Record<string, string | number>>,
): string {
  const text = withQuery(path, { ...choice, ...more });
  return choice.template === '' ? `${text}&template=` : text;
}

/** The path that asks for the gaps of a row in a range. */
export function gapsPath(
  choice: MapChoice,
  { row, range }: { readonly row: { readonly filter: Partial<MapChoice> }; readonly range: View },
  limit: number,
): string {
  const { groupBy: _, order: __, ...place } = choice;
  return pathOf('/coverage/gaps', { ...place, ...row.filter }, { ...timesOf(range), limit });
}
