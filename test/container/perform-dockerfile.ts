import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { listOf, pairsOf, readDockerfile } from './read-dockerfile.ts';

const execute = promisify(execFile);
const context = resolve(import.meta.dirname, '../..');

/** A stage of the Dockerfile. A folder stands for the root of its file system. */
interface Stage {
  readonly root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: string[];
  command: string[];
  healthCheck: string[];
}

/** The end of a program of the image. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export interface Image extends Readonly<Stage> {
  /** Starts the image as `docker run IMAGE …` does. */
  start(args: readonly string[], env?: Record<string, string>): Running;
  /** Starts any program in the image, as `docker exec` does. */
  exec(command: readonly string[], env?: Record<string, string>): Running;
}

export interface Running {
  output(): string;
  printed(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/**
 * Performs a Dockerfile, instruction by instruction, in folders instead of file systems. Throws an error for
 * an instruction that it does not know. Two slow steps of `RUN` are replaced by others with the same result.
 * The packages of development are those of this checkout. The program is compiled without a check of its
 * types, which is done elsewhere. The base image is this machine.
 */
export async function performDockerfile(folder: string): Promise<Image> {
  const tools = await makeTools(join(folder, 'tools'));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { keyword, flags, text } of readDockerfile(join(context, 'Dockerfile'))) {
    if (keyword === 'ARG') continue;
    if (keyword === 'FROM') {
      const name = / AS (\w+)$/.exec(text)?.[1] ?? 'image';
      stage = {
        root: join(folder, name),
        workdir: '/',
        env: {},
        user: '',
        entrypoint: [],
        command: [],
        healthCheck: [],
      };
      stages.set(name, stage);
      await mkdir(join(stage.root, 'usr/local/bin'), { recursive: true });
    } else if (stage === undefined) throw new Error(`${keyword} before the first FROM`);
    else if (keyword === 'COPY')
      await copy(stage, { text, from: flags.from === undefined ? undefined : stages.get(flags.from) });
    else if (keyword === 'RUN') await runStep(stage, text, tools);
    else await note(stage, keyword, text);
  }
  const image = stages.get('image');
  if (image === undefined) throw new Error('no stage without a name: there is no image');
  await execute('chmod', ['-R', 'a-w', image.root]);
  return {
    ...image,
    start: (args, env) => startIn(image, [...image.entrypoint, ...args], env),
    exec: (command, env) => startIn(image, command, env),
  };
}

async function note(stage: Stage, keyword: string, text: string): Promise<void> {
  switch (keyword) {
    case 'WORKDIR':
      stage.workdir = text;
      await mkdir(stage.root + text, { recursive: true });
      return;
    case 'ENV':
      stage.env = { ...stage.env, ...pairsOf(text) };
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = listOf(text);
      return;
    case 'CMD':
      stage.command = listOf(text);
      return;
    case 'HEALTHCHECK':
      stage.healthCheck = listOf(text);
      return;
    case 'LABEL':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`${keyword} is not known here: teach it to this test`);
  }
}

/** Copies from the context (only files that .dockerignore lets through) or from an earlier stage. */
async function copy(stage: Stage, { text, from }: { text: string; from: Stage | undefined }): Promise<void> {
  const paths = text.split(/\s+/).filter((part) => !part.startsWith('--'));
  const target = join(stage.root, stage.workdir, paths.at(-1) ?? '');
  const allowed = (await readFile(join(context, '.dockerignore'), 'utf8')).split('\n');
  for (const path of paths.slice(0, -1)) {
    if (from === undefined && !allowed.includes(`!${path}`))
      throw new Error(`.dockerignore keeps ${path} out`);
    const source = from === undefined ? join(context, path) : from.root + path;
    const into = target.endsWith('/') ? join(target, path) : target;
    await cp(source, into, { recursive: true, verbatimSymlinks: true });
  }
}

/** Runs a step unchanged, except for paths that begin at the root of the stage. */
async function runStep(stage: Stage, text: string, tools: string): Promise<void> {
  const script = text.replace(/(?<=^|\s)\/(?=(app|usr\/local|etc)\/)/g, `${stage.root}/`);
  const env = { ...process.env, ...stage.env, PATH: `${tools}:${process.env.PATH}` };
  await execute('sh', ['-ec', script], { cwd: stage.root + stage.workdir, env });
}

/** Makes an `npm` that replaces the two slow steps and does all others itself. */
async function makeTools(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const npm = join(folder, 'npm');
  const { stdout } = await execute('sh', ['-c', 'command -v npm']);
  const { scripts } = JSON.parse(await readFile(join(context, 'package.json'), 'utf8'));
  const build: string = scripts.build.replace(/\btsc -p \S+/, 'node_modules/.bin/$& --noCheck');
  await writeFile(
    npm,
    `#!/bin/sh
case "$*" in
  "ci --omit=optional --ignore-scripts") ln -s '${context}/node_modules' node_modules ;;
  "run build") ${build} ;;
  *) exec '${stdout.trim()}' "$@" --prefer-offline --no-audit --no-fund ;;
esac
`,
  );
  await chmod(npm, 0o755);
  return folder;
}

/**
 * Starts a program with the variables of the image and no others. The program runs as the user of the image
 * if this process may change its user.
 */
function startIn(
  image: Stage,
  [command = '', ...args]: readonly string[],
  env: Record<string, string> = {},
): Running {
  const [uid, gid] = image.user.split(':').map(Number);
  const child = spawn(command, args, {
    cwd: image.root + image.workdir,
    env: { ...image.env, PATH: `${image.root}/usr/local/bin:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 && uid !== undefined && gid !== undefined && { uid, gid }),
  });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listen of listeners) listen();
    });
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, output }));
  return {
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const listen = () => {
          if (pattern.test(output)) resolve();
        };
        listeners.add(listen);
        void ended.then(() => reject(new Error(`ended before it printed ${pattern}:\n${output}`)));
        listen();
      }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
