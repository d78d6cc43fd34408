import fc from 'fast-check';

/** A change that a platform, or a gateway before it, may make to a reply. */
type Mutation =
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'repeat'; readonly at: number }
  | { readonly kind: 'replace'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'nest'; readonly at: number; readonly levels: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: string };

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -0.5,
  1e308,
  '',
  ' ',
  '\0',
  '\ud800',
  '\u001b[31m',
  '__proto__',
  'NaN',
  '9007199254740993',
  '2024-05-01T08:00:00Z',
  '2024-13-45T99:99:99Z',
  [],
  [[]],
  {},
  { value: {} },
  { list: null },
  'x'.repeat(3_000),
  `${'1'.repeat(2_000)}x`,
];
const oddBytes = [
  'NaN',
  '-Infinity',
  '1e400',
  '9'.repeat(2_000),
  '"',
  '\\',
  '\\u001f',
  '\0',
  '\u00ff',
  ',',
  '{',
  '[',
  ']',
  '}',
  '/*',
];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), value: fc.constantFrom(...oddValues) }),
  fc.record({
    kind: fc.constant('nest' as const),
    at: fc.nat(),
    levels: fc.constantFrom(1, 3, 250, 8_000),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), bytes: fc.constantFrom(...oddBytes) }),
);

/** A few mutations, done one after the other. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(mutation, {
  minLength: 1,
  maxLength: 4,
});

/** Returns the text of a JSON value after these mutations. */
export function mutate(value: unknown, done: readonly Mutation[]): string {
  const root = { value: structuredClone(value) };
  const deep: { readonly mark: string; readonly levels: number }[] = [];
  for (const each of done) {
    if (each.kind === 'cut' || each.kind === 'insert') continue;
    const places = listPlaces(root);
    const place = places[each.at % places.length];
    if (place === undefined) continue;
    const { container, name } = place;
    if (each.kind === 'drop') remove(container, name);
    else if (each.kind === 'replace') container[name] = structuredClone(each.value);
    else if (each.kind === 'repeat') repeat(container, name);
    else {
      // JSON.stringify cannot write deeply nested values: they are put in afterwards.
      const mark = `@deep${deep.length}@`;
      deep.push({ mark, levels: each.levels });
      container[name] = mark;
    }
  }
  let text = JSON.stringify(root.value) ?? '';
  for (const { mark, levels } of deep)
    text = text.replace(`"${mark}"`, () => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);
  for (const each of done) {
    const at = 'at' in each ? each.at % (text.length + 1) : 0;
    if (each.kind === 'cut') text = text.slice(0, at);
    if (each.kind === 'insert') text = text.slice(0, at) + each.bytes + text.slice(at);
  }
  return text;
}

interface Place {
  readonly container: Record<string, unknown>;
  readonly name: string;
}

function listPlaces(container: object, places: Place[] = []): Place[] {
  for (const [name, value] of Object.entries(container)) {
    places.push({ container: container as Record<string, unknown>, name });
    if (typeof value === 'object' && value !== null) listPlaces(value, places);
  }
  return places;
}

function remove(container: object, name: string): void {
  if (Array.isArray(container)) container.splice(Number(name), 1);
  else delete (container as Record<string, unknown>)[name];
}

function repeat(container: Record<string, unknown>, name: string): void {
  const value = container[name];
  if (Array.isArray(container)) container.splice(Number(name), 0, ...Array.from({ length: 20 }, () => value));
  else container[name] = [value, value];
}
