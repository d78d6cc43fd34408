import { confirm, input, password, select } from '@inquirer/prompts';
import { zone } from '../../../config/fields.ts';
import type { Io } from '../../io.ts';

/**
 * The answers by option, such as `platform.baseUrl`. An option without an answer stays as in the template.
 */
export type Answers = Readonly<Record<string, string>>;

/** Asks for one section of the configuration, with the answers before as suggestions. */
export type AskSection = (ask: Asker, before: Answers) => Promise<Answers>;

type Validate = (text: string) => boolean | string;

/** Asks single questions on the terminal. */
export class Asker {
  readonly #context: { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal };

  constructor(io: Io) {
    this.#context = { input: io.stdin, output: io.stderr, signal: io.signal };
  }

  async text(message: string, validate: Validate, before: string | undefined): Promise<string> {
    const question = { message, validate: (text: string) => validate(text.trim()) };
    const suggestion = before === undefined ? {} : { default: before, prefill: 'editable' as const };
    return (await input({ ...question, ...suggestion }, this.#context)).trim();
  }

  secret(message: string): Promise<string> {
    return password({ message, mask: true }, this.#context);
  }

  choice(message: string, choices: readonly string[]): Promise<string> {
    return select<string>({ message, choices }, this.#context);
  }

  yes(message: string): Promise<boolean> {
    return confirm({ message }, this.#context);
  }
}

export const askPlatform: AskSection = async (ask, before) => ({
  'platform.baseUrl': await ask.text('Address of the platform', isHttp, before['platform.baseUrl']),
  'platform.appId': await ask.text('Application id', isGiven, before['platform.appId']),
  'platform.secret': await ask.secret('Application secret (empty: from the variable PLATFORM_SECRET)'),
  'platform.timezone': await ask.text(
    'Time zone of times that the platform sends without one, such as Asia/Shanghai (empty: none)',
    optional(isZone),
    before['platform.timezone'],
  ),
});

export const askHistory: AskSection = async (ask, before) => {
  const start = await ask.text(
    'Start of history and alarms: back from now such as 30d, or a time such as 2024-05-01T00:00:00Z (empty: 30d)',
    () => true,
    before['runtime.history.start'],
  );
  return { 'runtime.history.start': start, 'alarms.history.start': start };
};

export const askPostgres: AskSection = async (ask, before) => {
  const url = await ask.text(
    'PostgreSQL, postgres://user@host:5432/database (empty: an embedded one, for trials)',
    optional(isPostgres),
    before['postgres.url'],
  );
  if (url === '') return {};
  return {
    'postgres.url': url,
    'postgres.password': await ask.secret('Password of that user (empty: none)'),
  };
};

export const askInflux: AskSection = async (ask, before) => {
  const text = (message: string, option: string, validate: Validate = isGiven) =>
    ask.text(message, validate, before[option]);
  const url = await text(
    'InfluxDB, such as http://localhost:8086 (empty: none)',
    'influx.url',
    optional(isHttp),
  );
  if (url === '') return {};
  const version = await ask.choice('Its major version', ['1', '2', '3']);
  const server = { 'influx.url': url, 'influx.version': version };
  if (version === '2')
    return {
      ...server,
      'influx.org': await text('Organisation', 'influx.org'),
      'influx.bucket': await text('Bucket', 'influx.bucket'),
      'influx.token': await ask.secret('Token'),
    };
  const database = await text('Database', 'influx.database');
  if (version === '3')
    return { ...server, 'influx.database': database, 'influx.token': await ask.secret('Token') };
  const username = await text('User (empty: none)', 'influx.username', () => true);
  return {
    ...server,
    'influx.database': database,
    'influx.username': username,
    'influx.password': username === '' ? '' : await ask.secret('Password of that user'),
  };
};

export const askRedis: AskSection = async (ask, before) => {
  const url = await ask.text(
    'Redis, if several processes share the work, such as redis://localhost:6379 (empty: none)',
    optional(isRedis),
    before['redis.url'],
  );
  return url === ''
    ? {}
    : { 'redis.url': url, 'redis.password': await ask.secret('Its password (empty: none)') };
};

export const askConsole: AskSection = async (ask, before) => {
  const port = await ask.text(
    'Port of the console, health and metrics, such as 8481 (empty: none)',
    optional(isPort),
    before['console.port'],
  );
  if (port === '') return {};
  const host = await ask.text(
    'Address that it listens on (empty: 127.0.0.1, this machine alone)',
    () => true,
    before['console.host'],
  );
  const tokenFile = await ask.text(
    'File with the token that people sign in with (empty: none, for this machine alone)',
    () => true,
    before['console.tokenFile'],
  );
  return { 'console.port': port, 'console.host': host, 'console.tokenFile': tokenFile };
};

function optional(validate: Validate): Validate {
  return (text) => text === '' || validate(text);
}

function isGiven(text: string): boolean | string {
  return text !== '' || 'An answer is needed';
}

function isHttp(text: string): boolean | string {
  return hasScheme(text, /^https?:$/) || 'An address such as https://host';
}

function isRedis(text: string): boolean | string {
  return hasScheme(text, /^rediss?:$/) || 'An address such as redis://host:6379, without a password';
}

function isPostgres(text: string): boolean | string {
  return hasScheme(text, /^postgres(ql)?:$/) || 'postgres://user@host:5432/database, without a password';
}

function hasScheme(text: string, scheme: RegExp): boolean {
  return URL.canParse(text) && scheme.test(new URL(text).protocol) && new URL(text).password === '';
}

function isPort(text: string): boolean | string {
  return (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) || 'A number up to 65535';
}

function isZone(text: string): boolean | string {
  const { error } = zone().safeParse(text);
  return error?.issues[0]?.message ?? true;
}
