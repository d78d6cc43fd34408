import { parse } from 'yaml';

/** A mark `x-open` of the contract: what the specification leaves open, which default is taken, and where. */
export interface OpenPoint {
  readonly places: readonly string[];
  readonly open: string;
  readonly fallback: string;
}

/**
 * Lists all `x-open` marks of the contract in its order. The places of equal marks are joined.
 * @param yaml text of the OpenAPI document
 * @throws if a mark does not read "<what is open>. Default: <what is taken>"
 */
export function listOpenPoints(yaml: string): OpenPoint[] {
  const placesByMark = new Map<string, string[]>();
  collectMarks(parse(yaml), { place: [], named: false }, (mark, place) => {
    const places = placesByMark.get(mark) ?? [];
    placesByMark.set(mark, [...places, place]);
  });
  return [...placesByMark].map(([mark, places]) => {
    const [open, fallback, ...rest] = mark.split(' Default: ');
    if (!open || !fallback || rest.length > 0)
      throw new Error(
        `x-open at ${places.join(', ')} must read "<what is open>. Default: <what is taken>": ${mark}`,
      );
    return { places, open, fallback };
  });
}

/** Renders the page `docs/open-points.md`. */
export function renderOpenPoints(points: readonly OpenPoint[]): string {
  const rows = points.map(({ places, open, fallback }) => {
    const cells = [places.map((place) => `\`${place}\``).join(', '), open, fallback];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    '# What the specification leaves open',
    '',
    'Made by `npm run contract` from the `x-open` marks of `src/platform/openapi.yaml`: change them there. Settings that',
    'the last column speaks of stand under `platform.dialect` of the configuration.',
    '',
    '| Where | Open | Default |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Words of the document's structure, which tell a reader nothing about a place. */
const structure =
  'paths components schemas parameters responses headers content application/json schema allOf properties items'.split(
    ' ',
  );

interface Position {
  readonly place: readonly string[];
  /** True if the keys of this node are names of members, even where they look like words of the structure. */
  readonly named: boolean;
}

function collectMarks(node: unknown, position: Position, found: (mark: string, place: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'x-open' && !position.named) found(String(value), position.place.join('.'));
    const word = position.named ? key : wordOf(key, value);
    const place = word === undefined ? position.place : [...position.place, word];
    collectMarks(value, { place, named: key === 'properties' && !position.named }, found);
  }
}

/** Returns what a key adds to the name of a place. An operation goes by its id, a parameter by its name. */
function wordOf(key: string, value: unknown): string | undefined {
  if (structure.includes(key) || key.startsWith('/')) return undefined;
  const { operationId, name } = Object(value) as { operationId?: string; name?: string };
  return operationId ?? (/^\d{1,2}$/.test(key) ? name : key);
}
