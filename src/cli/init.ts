import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { confirm, input, password } from '@inquirer/prompts';
import { UsageError } from '../errors.ts';
import type { CommonOptions, Io } from './io.ts';
import { packageFile } from './package-root.ts';

export interface InitOptions extends CommonOptions {
  readonly force?: boolean;
}

/** Answers by option: `platform.baseUrl` and so on. What was not answered stays as it is in the template. */
type Answers = Readonly<Record<string, string>>;

/** `plantsync init`: writes a commented plantsync.yaml, with answers if somebody is there to give them. */
export async function init(io: Io, options: InitOptions): Promise<number> {
  const path = options.config ?? 'plantsync.yaml';
  if (existsSync(path) && !options.force)
    throw new UsageError(`${path} is there already; --force replaces it, --config FILE writes another`);
  const answers = io.stdin.isTTY && io.stderr.isTTY && !options.json ? await ask(io) : {};
  const text = fillTemplate(readFileSync(packageFile('config/plantsync.yaml'), 'utf8'), answers);
  writeFileSync(path, text, { mode: 0o600 });
  // It may hold the secret, and a file that is replaced keeps its own mode.
  chmodSync(path, 0o600);
  if (options.json) io.stdout.write(`${JSON.stringify({ file: path })}\n`);
  else
    io.stdout.write(
      `${path} written; look through it, then: plantsync check, plantsync sync, plantsync run\n`,
    );
  return 0;
}

async function ask(io: Io): Promise<Answers> {
  const context = { input: io.stdin, output: io.stderr, signal: io.signal };
  const answers: Record<string, string> = {};
  const baseUrl = await input(
    { message: 'Address of the platform', validate: isHttp, required: true },
    context,
  );
  answers['platform.baseUrl'] = baseUrl.trim();
  answers['platform.appId'] = await input({ message: 'Application id', required: true }, context);
  const secret = await password(
    { message: 'Application secret (empty: from the variable PLATFORM_SECRET)' },
    context,
  );
  if (secret) answers['platform.secret'] = secret;
  if (
    await confirm(
      { message: 'Is there a PostgreSQL to use? (else an embedded one runs here)', default: false },
      context,
    )
  )
    answers['postgres.url'] = await input(
      { message: 'Its address, postgres://user@host:5432/database' },
      context,
    );
  return answers;
}

function isHttp(text: string): boolean | string {
  const fits = URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol);
  return fits || 'An address such as https://platform.example';
}

/** The template with the answers in place of its examples, everything else unchanged. */
export function fillTemplate(template: string, answers: Answers): string {
  const left = new Set(Object.keys(answers));
  let section = '';
  const lines = template.split('\n').map((line) => {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    const key = `${section}.${/^ {2}#?(\w+):/.exec(line)?.[1]}`;
    const answer = left.delete(key) ? answers[key] : undefined;
    // A JSON text is a YAML text too; a dollar sign before a brace would be taken for a variable.
    return answer === undefined
      ? line
      : `  ${key.split('.')[1]}: ${JSON.stringify(answer).replaceAll('${', () => '$${')}`;
  });
  if (left.size > 0) throw new UsageError(`the template has no option ${[...left].join(', ')}`);
  const schema = packageFile('config/plantsync.schema.json');
  return lines.join('\n').replace('$schema=./plantsync.schema.json', () => `$schema=${schema}`);
}
