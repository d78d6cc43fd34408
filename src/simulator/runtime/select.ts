import type { FoundSeries } from '../plant/plant.ts';
import { notFound, parameterError } from '../refused-call.ts';
import type { SelectForm, SimulatorDialect } from '../simulator-dialect.ts';
import type { World } from '../world.ts';
import type { GroupFunction } from './aggregate-points.ts';

/** One entry of `select`: a series, and the function to apply to it. */
export interface Selected {
  readonly name: string;
  readonly fn: GroupFunction | undefined;
  readonly found: FoundSeries;
}

const CALLED = /^(mean|sum|max|min|first|last)\((.*)\)$/s;

/**
 * Reads one entry of `select` in a form that the dialect accepts: by default `"obj.prop"` or
 * `mean("obj.prop")`. Throws a `RefusedCall` if the entry has another form, or if there is no such object.
 */
export function parseSelect(world: World, entry: unknown): Selected {
  if (typeof entry !== 'string') throw parameterError('select must be an array of texts');
  const call = CALLED.exec(entry);
  const name = parseName(call?.[2] ?? entry, world.dialect);
  if (name === undefined) throw parameterError(`select ${entry} is not understood`);
  const found = world.plant.findSeries(name);
  if (!found) throw notFound('object', objectPart(name));
  return { name, fn: call?.[1] as GroupFunction | undefined, found };
}

/** Returns the object's part of the name of a series whose object is unknown. */
export function objectPart(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}

function parseName(text: string, dialect: SimulatorDialect): string | undefined {
  for (const form of dialect.historySelect) {
    const name = inForm(text, form);
    if (name !== undefined && name !== '') return name;
  }
  return undefined;
}

function inForm(text: string, form: SelectForm): string | undefined {
  if (form === 'quoted') return /^"(.*)"$/s.exec(text)?.[1];
  if (form === 'parenthesised') return /^\("(.*)"\)$/s.exec(text)?.[1];
  return text.startsWith('"') || text.startsWith('(') ? undefined : text;
}
