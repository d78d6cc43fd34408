import { z } from 'zod';
import { nearest } from '../nearest.ts';
import { isTimeZone, proposeZone } from '../time-zone.ts';
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from './duration.ts';

const truthy = ['true', 'yes', 'on', '1'];
const falsy = ['false', 'no', 'off', '0'];

/** Tells whether `boolean()` accepts a value: a boolean, 0, 1, or one of their usual texts. */
export function isBooleanLike(value: unknown): value is boolean | number | string {
  return [...truthy, ...falsy].includes(String(value).toLowerCase()) && typeof value !== 'object';
}

/** Accepts text that is not empty. `missing` tells users what to do when the value is missing. */
export function text(missing = 'give it a value') {
  return z
    .string({
      error: ({ input }) => (input === undefined ? `missing: ${missing}` : 'must be text; put it in quotes'),
    })
    .min(1, { error: `empty: ${missing}` });
}

/**
 * Accepts a text or a list of texts. The result is a sorted list without duplicates, since order and
 * repetition mean nothing.
 */
export function texts(missing: string) {
  const error = ({ input }: { input?: unknown }) =>
    `${show(input)} is neither a text nor a list of texts (numbers in quotes); ${missing}`;
  return z
    .union([z.string().min(1, { error }), z.array(z.string().min(1)).min(1, { error })], { error })
    .transform((value): readonly string[] =>
      typeof value === 'string' ? [value] : [...new Set(value)].sort(),
    );
}

/** Accepts one of the listed texts. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: ({ input }) => `${show(input)} is not one of ${values.join(', ')}` });
}

export function boolean() {
  const error = ({ input }: { input?: unknown }) => `${show(input)} is neither true nor false`;
  return z
    .union([z.boolean(), z.literal([0, 1]), z.string().refine(isBooleanLike, { error })], { error })
    .transform((value) => truthy.includes(String(value).toLowerCase()));
}

/** Accepts a whole number within the range, also as text, since the environment has only text. */
export function integer(min: number, max: number) {
  const say = (input: unknown) => `${show(input)} is not a whole number from ${min} to ${max}`;
  const error = ({ input }: { input?: unknown }) => say(input);
  return z
    .union([z.int().min(min, { error }).max(max, { error }), z.string().regex(/^-?\d+$/, { error })], {
      error,
    })
    .transform((value, context) => {
      const parsed = Number(value);
      if (parsed < min || parsed > max) context.addIssue(say(value));
      return parsed;
    });
}

/** Accepts a number above 0, also with a fraction. */
export function positive() {
  const say = (input: unknown) => `${show(input)} is not a number above 0`;
  const error = ({ input }: { input?: unknown }) => say(input);
  return z
    .union([z.number().positive({ error }), z.string().regex(/^\d+(\.\d+)?$/, { error })], { error })
    .transform((value, context) => {
      if (Number(value) <= 0) context.addIssue(say(value));
      return Number(value);
    });
}

/** Accepts a share such as `30%` or 0.3. The result is a number from 0 to 1. */
export function share() {
  const say = (input: unknown) => `${show(input)} is not a share such as 30% or 0.3`;
  const error = ({ input }: { input?: unknown }) => say(input);
  return z
    .union(
      [z.number().min(0, { error }).max(1, { error }), z.string().regex(/^\d+(\.\d+)? ?%?$/, { error })],
      {
        error,
      },
    )
    .transform((value, context) => {
      const parsed = Number.parseFloat(String(value)) / (String(value).endsWith('%') ? 100 : 1);
      if (parsed > 1) context.addIssue(say(value));
      return parsed;
    });
}

/** Accepts a duration such as `10s`. The result is in milliseconds. */
export function duration(minMs = 0) {
  const say = (input: unknown) => `${show(input)} is not a duration such as 10s, 5m, 2h or 7d`;
  return z
    .string({ error: ({ input }) => say(input) })
    .regex(DURATION_PATTERN, { error: ({ input }) => say(input) })
    .transform((value, context) => {
      const ms = parseDuration(value) ?? Number.NaN;
      if (ms < minMs) context.addIssue(`${value} is too short: at least ${minMs} ms`);
      return ms;
    });
}

/** Accepts a size such as `64MiB`. The result is in bytes. */
export function size() {
  const say = (input: unknown) => `${show(input)} is not a size such as 512KiB or 64MiB`;
  return z
    .string({ error: ({ input }) => say(input) })
    .regex(SIZE_PATTERN, { error: ({ input }) => say(input) })
    .transform((value) => parseSize(value) ?? Number.NaN);
}

/** Accepts the name of a time zone. */
export function zone() {
  return text().refine(isTimeZone, {
    error: ({ input }) => {
      const name = String(input);
      const guess = proposeZone(name) ?? nearest(name, Intl.supportedValuesOf('timeZone'));
      return `${show(input)} is not a time zone such as UTC or Asia/Shanghai${guess ? `; did you mean ${guess}?` : ''}`;
    },
  });
}

/** Accepts text that matches the pattern. `must` is the message for everything else. */
export function formed(pattern: RegExp, must: string) {
  return z.string({ error: must }).regex(pattern, { error: must });
}

/** Accepts an address. No message repeats the address, since it may hold a password. */
export function url(form: {
  protocols: readonly string[];
  example: string;
  missing?: string;
  credentials?: boolean;
  /** Returns the address of the first server, if the address may list several. */
  firstOf?: (address: string) => string;
}) {
  return text(form.missing).superRefine((whole, context) => {
    const value = form.firstOf?.(whole) ?? whole;
    if (namesSeveral(value)) return context.addIssue(SEVERAL_SERVERS);
    if (!URL.canParse(value)) return context.addIssue(`is not an address such as ${form.example}`);
    const parsed = new URL(value);
    const scheme = parsed.protocol.slice(0, -1);
    if (!form.protocols.includes(scheme))
      context.addIssue(`begins with ${scheme}: not an address such as ${form.example}`);
    if (!form.credentials && (parsed.username || parsed.password))
      context.addIssue('must not hold a user or password');
    if (parsed.hash) context.addIssue('holds a #; in a password write it as %23');
    if (!canDecode(parsed.username) || !canDecode(parsed.password))
      context.addIssue('holds a % that encodes nothing; in a user or password write it as %25');
  });
}

/** The problem of an address that lists several servers, as libpq allows. */
export const SEVERAL_SERVERS =
  'names several servers: give one, or the address that a failover moves along (a proxy, a virtual IP address, a DNS name)';

function namesSeveral(address: string): boolean {
  const [, servers = ''] = /^\w+:\/\/(?:[^/?]*@)?([^/?@]*)/.exec(address) ?? [];
  return servers.includes(',');
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** The most characters of a value in a message, which must fit on a screen. */
const MAX_SHOWN = 200;

function show(value: unknown): string {
  const shown = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}
