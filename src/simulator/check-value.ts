import { z } from 'zod';
import { nearest } from '../nearest.ts';

/** The part of a JSON Schema that tells which values are allowed. */
interface Form {
  readonly form?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly anyOf?: readonly Form[];
  readonly items?: Form;
  readonly properties?: Readonly<Record<string, Form>>;
}

/**
 * Checks a value that a person or another process gave. Throws an Error that names each wrong key, its value,
 * and the values that are allowed.
 */
export function checkValue<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const form = formOf(schema);
  const problems = result.error.issues.flatMap((issue) => describeIssue(issue, { form, value, name }));
  throw new Error([...new Set(problems)].join('; '));
}

/**
 * Describes each key of an object with its values, like `historyOrder` with `one of ascending, descending`.
 */
export function describeKeys(schema: z.ZodType): { key: string; values: string }[] {
  return Object.entries(formOf(schema).properties ?? {}).map(([key, form]) => ({
    key,
    values: describe(form),
  }));
}

/** Returns `did you mean …?`, with all known names. */
export function advise(word: string, candidates: readonly string[]): string {
  const guess = nearest(word, candidates);
  return `${guess === undefined ? '' : `did you mean ${guess}? `}known are ${candidates.join(', ')}`;
}

interface Checked {
  readonly form: Form;
  readonly value: unknown;
  readonly name: string;
}

function describeIssue(issue: z.core.$ZodIssue, { form, value, name }: Checked): string[] {
  const { path } = issue;
  const place = path.length === 0 ? name : pathText(path, name);
  const itsForm = path.reduce<Form | undefined>(stepInto, form);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(itsForm?.properties ?? {});
    if (known.length > 0)
      return issue.keys.map((key) => `${pathText([...path, key], name)}: unknown key; ${advise(key, known)}`);
  }
  if (issue.code === 'custom' && issue.message !== 'Invalid input') return [`${place}: ${issue.message}`];
  const given = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)?.[key], value);
  if (given === undefined) return [`${place}: missing; give ${describe(itsForm)}`];
  const guess = typeof given === 'string' ? nearest(given, (itsForm?.enum ?? []).map(String)) : undefined;
  const meant = guess === undefined ? '' : `; did you mean ${guess}?`;
  return [`${place}: ${shorten(JSON.stringify(given))} is not ${describe(itsForm)}${meant}`];
}

function stepInto(form: Form | undefined, key: PropertyKey): Form | undefined {
  return typeof key === 'number' ? form?.items : (form?.properties?.[String(key)] ?? form);
}

function pathText(path: readonly PropertyKey[], name: string): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text.startsWith('.') ? text.slice(1) : name + text;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function formOf(schema: z.ZodType): Form {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Form;
}

function describe(form: Form | undefined): string {
  if (form?.form !== undefined) return form.form;
  if (form?.enum) return `${form.enum.length > 1 ? 'one of ' : ''}${form.enum.join(', ')}`;
  if (form?.const !== undefined) return String(form.const);
  if (form?.anyOf) return form.anyOf.map(describe).join(' or ');
  switch (form?.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
    case 'number':
      return `${form.type === 'integer' ? 'a whole number' : 'a number'}${boundsOf(form)}`;
    case 'string':
      return form.minLength ? 'a text that is not empty' : 'a text';
    case 'array':
      return `a list${form.minItems ? ' that is not empty' : ''}, each ${describe(form.items)}`;
    case 'object':
      return `an object of ${Object.keys(form.properties ?? {}).join(', ') || 'members'}`;
    case 'null':
      return 'null';
    default:
      return 'a value of the right form';
  }
}

function boundsOf({ minimum, maximum }: Form): string {
  const upper = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`;
  return minimum === undefined || minimum <= -Number.MAX_SAFE_INTEGER ? upper : ` from ${minimum}${upper}`;
}
