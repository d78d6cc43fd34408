import { z } from 'zod';
import { duration, formed, text, url } from './fields.ts';
import { isTree, type Tree } from './tree.ts';

/** The options that each major version of the server needs. */
const needed = { 1: ['database'], 2: ['org', 'bucket', 'token'], 3: ['database', 'token'] } as const;
const unused = {
  1: ['org', 'bucket', 'token'],
  2: ['database', 'retentionPolicy', 'username', 'password'],
  3: ['org', 'bucket', 'retentionPolicy', 'username', 'password'],
} as const;

/**
 * The pattern of free tag names: not those that points have already, and not those that begin with an
 * underscore.
 */
const TAKEN =
  /^(?!_|(object|property|function|time|value|text|name|alarm_type|priority|transition|place|started_at|description|username)$).+$/;

/** InfluxDB, if points go there too. The output is undefined without `url`. */
export const influxSchema = z
  .strictObject({
    url: url({ protocols: ['http', 'https'], example: 'http://influx.example:8086' })
      .optional()
      .describe('Address of the server; without it points go to Postgres alone.'),
    name: formed(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be letters, digits, dots, dashes and underscores')
      .optional()
      .describe('Name of the store in the ledger; the address if not given.'),
    version: z
      .union([z.literal([1, 2, 3]), z.enum(['1', '2', '3'])], { error: 'must be 1, 2 or 3' })
      .transform((value) => Number(value) as 1 | 2 | 3)
      .prefault(2)
      .describe('Major version of the server.'),
    database: text().optional().describe('Version 1 and 3: database.'),
    retentionPolicy: text().optional().describe('Version 1: retention policy, if not the default one.'),
    username: text()
      .refine((name) => !name.includes(':'), {
        error: 'must not hold a colon, which ends the user in a login',
      })
      .optional()
      .describe('Version 1: user.'),
    password: text().optional().describe('Version 1: password.'),
    passwordFile: text().optional().describe('File that holds the password.'),
    caFile: text().optional().describe('PEM file of the authority that signed the server’s certificate.'),
    org: text().optional().describe('Version 2: organisation.'),
    bucket: text().optional().describe('Version 2: bucket.'),
    token: text()
      .refine((token) => /^[\x20-\x7e]*$/.test(token), {
        error: 'must not hold line ends or control characters; look into its file or variable',
      })
      .optional()
      .describe('Version 2 and 3: token.'),
    tokenFile: text().optional().describe('File that holds the token.'),
    retention: duration(3_600_000)
      .optional()
      .describe(
        'How long the server keeps points, if the server does not tell; older history is not read for InfluxDB.',
      ),
    measurement: text()
      .prefault('runtime')
      .describe('Measurement of history; its aggregates go to runtime_300s and the like.'),
    polledMeasurement: text().prefault('runtime_polled').describe('Measurement of polled values.'),
    alarmMeasurement: text().prefault('alarm_events').describe('Measurement of the events of alarms.'),
    tags: z
      .record(tagName(), text(), { error: 'must be a map of names to texts' })
      .prefault({})
      .describe('Constant tags of every point.'),
  })
  .superRefine(checkKeys, { when: ({ value }) => isTree(value) })
  .transform(({ url: address, passwordFile: _, tokenFile: __, caFile: ca, retention, ...rest }) =>
    address === undefined ? undefined : { ...rest, url: address, ca, retentionMs: retention },
  );

function tagName() {
  return z.string().regex(TAKEN, {
    error: 'is taken, or begins with _: choose another name',
  });
}

/**
 * Checks how the options fit together. This also runs when other options are wrong, so `version` may be
 * anything.
 */
function checkKeys(keys: Tree & { version: 1 | 2 | 3 }, context: z.RefinementCtx): void {
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const given = (key: string) => keys[key] !== undefined;
  if (!given('url')) {
    const about = [...needed[1], ...needed[2], 'username'].find(given);
    if (about !== undefined) add('url', `missing: the server that ${about} is about`);
    return;
  }
  const version = keys.version;
  for (const key of needed[version] ?? []) if (!given(key)) add(key, `missing: InfluxDB ${version} needs it`);
  for (const key of unused[version] ?? [])
    if (given(key)) add(key, `is not used with InfluxDB ${version} (influx.version)`);
}
