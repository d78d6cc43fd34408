import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A service, with the members that the tests look at. */
export interface ComposeService {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly healthcheck?: { readonly test?: unknown; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly security_opt?: readonly string[];
  readonly deploy?: { readonly resources?: { readonly limits?: { memory?: string; pids?: number } } };
  readonly extends?: { readonly file: string; readonly service: string };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/**
 * Reads a Compose file as Compose does: with variables filled in, and with what its services extend. Throws
 * an error for a variable that has to be set and is not.
 */
export function readCompose(path: string, variables: Readonly<Record<string, string>> = {}): Compose {
  const file = fill(parse(readFileSync(path, 'utf8'), { merge: true }), variables) as Compose;
  const services = Object.entries(file.services).map(([name, service]) => {
    const { extends: base, ...own } = service;
    if (base === undefined) return [name, service] as const;
    return [name, merge(readCompose(base.file, variables).services[base.service], own)] as const;
  });
  return { ...file, services: Object.fromEntries(services) as Compose['services'] };
}

/** Lists the variables of a Compose file, each with what follows its name: `:-a default`, `:?a reason`. */
export function listVariables(path: string): { readonly name: string; readonly rest: string }[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => [...line.matchAll(/(?<!\$)\$\{?(\w+)([^}]*)\}?/g)])
    .map(([, name = '', rest = '']) => ({ name, rest }));
}

function fill(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name, kind, text) => {
      if (whole === '$$') return '$';
      const given = variables[name];
      if (given !== undefined && given !== '') return given;
      if (kind === '-') return text;
      throw new Error(`${name} ${text ?? 'is not set'}`);
    });
  if (Array.isArray(value)) return value.map((each) => fill(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, variables)]));
}

/** Merges maps at any depth. Of other values the second one counts. */
function merge(base: unknown, own: unknown): unknown {
  if (!isMap(base) || !isMap(own)) return own ?? base;
  const keys = new Set([...Object.keys(base), ...Object.keys(own)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], own[key])]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
