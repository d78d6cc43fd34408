import { input, password, select } from '@inquirer/prompts';
import { zone } from '../../../config/fields.ts';
import type { Io } from '../../io.ts';

/**
 * The answers by option, such as `platform.baseUrl`. An option without an answer stays as in the template.
 */
export type Answers = Readonly<Record<string, string>>;

/** Asks on the terminal for the options that only the user knows. Optional questions may be left empty. */
export async function askForAnswers(io: Io): Promise<Answers> {
  const context = { input: io.stdin, output: io.stderr, signal: io.signal };
  const ask = async (message: string, validate: (text: string) => boolean | string = () => true) =>
    (await input({ message, validate: (text) => validate(text.trim()) }, context)).trim();
  const askSecret = (message: string) => password({ message, mask: true }, context);
  const answers: Record<string, string> = {
    'platform.baseUrl': await ask('Address of the platform', isHttp),
    'platform.appId': await ask('Application id', isGiven),
    'platform.secret': await askSecret('Application secret (empty: from the variable PLATFORM_SECRET)'),
    'platform.timezone': await ask(
      'Time zone of times that the platform sends without one, such as Asia/Shanghai (empty: none)',
      optional(isZone),
    ),
    'postgres.url': await ask(
      'PostgreSQL, postgres://user@host:5432/database (empty: an embedded one, for trials)',
      optional(isPostgres),
    ),
  };
  if (answers['postgres.url'])
    answers['postgres.password'] = await askSecret('Password of that user (empty: none)');
  answers['influx.url'] = await ask(
    'InfluxDB, such as http://localhost:8086 (empty: none)',
    optional(isHttp),
  );
  if (answers['influx.url']) Object.assign(answers, await askForInflux());
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));

  async function askForInflux(): Promise<Answers> {
    const version = await select<string>({ message: 'Its major version', choices: ['1', '2', '3'] }, context);
    if (version === '2')
      return {
        'influx.version': version,
        'influx.org': await ask('Organisation', isGiven),
        'influx.bucket': await ask('Bucket', isGiven),
        'influx.token': await askSecret('Token'),
      };
    const database = await ask('Database', isGiven);
    if (version === '3')
      return {
        'influx.version': version,
        'influx.database': database,
        'influx.token': await askSecret('Token'),
      };
    const username = await ask('User (empty: none)');
    const secret = username === '' ? '' : await askSecret('Password of that user');
    return {
      'influx.version': version,
      'influx.database': database,
      'influx.username': username,
      'influx.password': secret,
    };
  }
}

type Validate = (text: string) => boolean | string;

function optional(validate: Validate): Validate {
  return (text) => text === '' || validate(text);
}

function isGiven(text: string): boolean | string {
  return text !== '' || 'An answer is needed';
}

function isHttp(text: string): boolean | string {
  return (
    (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) || 'An address such as https://host'
  );
}

function isPostgres(text: string): boolean | string {
  const fits = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  return (fits && new URL(text).password === '') || 'postgres://user@host:5432/database, without a password';
}

function isZone(text: string): boolean | string {
  const { error } = zone().safeParse(text);
  return error?.issues[0]?.message ?? true;
}
