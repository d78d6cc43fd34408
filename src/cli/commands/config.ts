import { type EffectiveOption, listEffective, type Origin } from '../../config/origins.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { loadCommandConfig } from '../open/load-command-config.ts';
import { makeTable } from '../output/table.ts';

const COLUMNS = ['option', { title: 'value', wrap: 16 }, { title: 'from', wrap: 16 }] as const;

/** Runs `plantsync config`: prints every option with its value, and where the value came from. */
export async function showConfig(io: Io, options: CommonOptions): Promise<number> {
  const { layers, redact } = await loadCommandConfig(io, options);
  const listed = listEffective(layers, redact);
  print(io, options, {
    json: { options: listed.map(({ about: _, ...option }) => option) },
    lines: () => [makeTable(COLUMNS, listed.filter(isSet).map(cellsOf))],
  });
  return 0;
}

function isSet({ value }: EffectiveOption): boolean {
  return value !== undefined;
}

function cellsOf({ path, value, origin }: EffectiveOption): string[] {
  return [path, typeof value === 'string' ? value : JSON.stringify(value), describeOrigin(origin)];
}

/** Names the place of a value, such as `plantsync.yaml, line 3`. */
export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'commandLine':
      return 'command line';
    case 'environment':
      return `environment variable ${origin.variable}`;
    case 'secretFile':
      return `file ${origin.file} (${origin.option})`;
    case 'file': {
      const place = origin.line === undefined ? origin.file : `${origin.file}, line ${origin.line}`;
      return [place, ...origin.variables.map((name) => `environment variable ${name}`)].join(', ');
    }
  }
}
