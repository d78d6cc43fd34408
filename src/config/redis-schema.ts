import { z } from 'zod';
import { formed, integer, text, url } from './fields.ts';
import { isTree, type Tree } from './tree.ts';

/** Accepts the number of jobs of one queue that one worker process runs at once. */
const atOnce = (fallback: number, what: string) =>
  integer(1, 1_000).prefault(fallback).describe(`Most ${what} at once in one worker process.`);

/** Redis, if several processes share the work. The output is undefined without `url`. */
export const redisSchema = z
  .strictObject({
    url: url({
      protocols: ['redis', 'rediss'],
      example: 'redis://host:6379/0 (a password goes into redis.password)',
      credentials: true,
    })
      .optional()
      .describe('Address of the server, rediss for TLS; without it all jobs run in one process.'),
    password: text().optional().describe('Password as it is, without any encoding.'),
    passwordFile: text().optional().describe('File that holds the password.'),
    caFile: text()
      .optional()
      .describe('PEM file of the authority that signed the server’s certificate; with rediss.'),
    prefix: formed(/^[\w.{}-]{1,60}$/, 'must be a short name of letters, digits and _ . - { }')
      .prefault('plantsync')
      .describe('Beginning of all keys: installations that share a server need different ones.'),
    concurrency: z
      .strictObject({
        live: atOnce(8, 'polls and deliveries'),
        sync: atOnce(4, 'scans, increments and sweeps'),
        bulk: atOnce(2, 'verifications and pieces of a backfill'),
      })
      .prefault({})
      .describe('How much of each queue a worker process takes.'),
  })
  .superRefine(checkKeys, { when: ({ value }) => isTree(value) })
  .transform(({ url: address, passwordFile: _, caFile: ca, ...rest }) =>
    address === undefined ? undefined : { ...rest, url: address, ca },
  );

/**
 * Checks how the options fit together. This also runs when other options are wrong, so each may be anything.
 */
function checkKeys(keys: Tree, context: z.RefinementCtx): void {
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (keys.url === undefined) {
    const about = ['password', 'caFile'].find((key) => keys[key] !== undefined);
    if (about !== undefined) add('url', `missing: the server that ${about} is about`);
    return;
  }
  if (typeof keys.url !== 'string' || !URL.canParse(keys.url)) return;
  if (keys.caFile !== undefined && !keys.url.startsWith('rediss:'))
    add('caFile', 'is used only with TLS: let redis.url begin with rediss');
  if (new URL(keys.url).password && keys.password !== undefined)
    add('password', 'give it either here or in url, not both');
}
