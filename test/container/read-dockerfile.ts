import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly keyword: string;
  /** The flags of the instruction, as `from` of `--from=build`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Reads the instructions in their order, without comments, with continued lines joined and arguments filled
 * in.
 */
export function readDockerfile(path: string): Instruction[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line));
  const joined = lines.join('\n').replace(/\\\n\s*/g, '');
  const values: Record<string, string> = {};
  return joined.split('\n').map((line) => {
    const filled = line.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(filled) ?? [];
    if (keyword === 'ARG') {
      const [name = '', value = ''] = rest.split('=');
      values[name] = value;
    }
    const flags = Object.fromEntries(
      [...rest.matchAll(/(?<=^|\s)--([\w-]+)=(\S+)(?=.*)/g)].map(([, k, v]) => [k, v]),
    );
    return { keyword, flags: keyword === 'RUN' ? {} : flags, text: rest };
  });
}

/** Reads a JSON list, which is the form of a command without a shell. */
export function listOf(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

/** Reads `NAME=value` pairs whose values have no spaces. */
export function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
