import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SCHEMA_FILE } from '../../../config/json-schema.ts';
import { UsageError } from '../../../errors.ts';
import { packageFile } from '../../../package-root.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import type { Answers } from './ask.ts';
import { askForAnswers } from './ask-for-answers.ts';

export interface InitOptions extends CommonOptions {
  readonly force?: boolean;
}

/**
 * Runs `plantsync init`: writes a commented plantsync.yaml, with the user's answers if there is a terminal.
 */
export async function init(io: Io, options: InitOptions): Promise<number> {
  const path = (options.config ?? io.env.PLANTSYNC_CONFIG) || 'plantsync.yaml';
  if (existsSync(path) && !options.force)
    throw new UsageError(
      'usage.file_exists',
      `${path} exists already; --force replaces it, --config FILE writes another`,
    );
  const answers = io.stdin.isTTY && io.stderr.isTTY && !options.json ? await askForAnswers(io) : {};
  const text = fillTemplate(readFileSync(packageFile('config/plantsync.yaml'), 'utf8'), answers);
  writeFileSync(path, text, { mode: 0o600 });
  // The file may hold the secret, and a replaced file keeps its own mode.
  chmodSync(path, 0o600);
  print(io, options, {
    json: { file: path },
    lines: () => [`${path} written; look through it, then: plantsync check, plantsync sync, plantsync run`],
  });
  return 0;
}

/** Returns the template with the answers instead of its examples, and everything else unchanged. */
export function fillTemplate(template: string, answers: Answers): string {
  const left = new Set(Object.keys(answers));
  let open: { name: string; indent: number }[] = [];
  const lines = template.split('\n').map((line) => {
    const [, space = '', name] = /^((?: |- )*)#?(\w+):/.exec(line) ?? [];
    if (name === undefined) return line;
    open = [...open.filter(({ indent }) => indent < space.length), { name, indent: space.length }];
    const option = open.map((each) => each.name).join('.');
    const answer = left.delete(option) ? answers[option] : undefined;
    // A JSON text is a YAML text too. A dollar sign before a brace would be taken for a variable.
    return answer === undefined
      ? line
      : `${space}${name}: ${JSON.stringify(answer).replaceAll('${', () => '$${')}`;
  });
  if (left.size > 0)
    throw new UsageError('usage.wrong_value', `the template has no option ${[...left].join(', ')}`);
  const schema = packageFile(SCHEMA_FILE);
  return lines.join('\n').replace('$schema=./plantsync.schema.json', () => `$schema=${schema}`);
}
