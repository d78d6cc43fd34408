import { z } from 'zod';
import { duration, formed, integer, oneOf, text, url } from './fields.ts';
import { headers } from './headers.ts';

/** What a webhook can be told. `recovered` tells that something told before is over. */
export const noticeEvents = [
  'stream-failing',
  'store-away',
  'platform-away',
  'redis-away',
  'ledger-unread',
  'service-silent',
  'job-overdue',
  'store-behind',
  'gaps',
  'verify-differences',
  'alarm-storm',
  'values-lost',
  'rejects',
  'paused',
  'webhook-failing',
  'recovered',
] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

const address = () =>
  url({
    protocols: ['http', 'https'],
    example: 'https://alerts.example/hook',
    missing: 'give the address to call',
  });

const webhook = z
  .strictObject({
    name: formed(
      /^[a-z0-9][a-z0-9_-]{0,39}$/,
      'must be of a-z, 0-9, - and _, at most 40 characters',
    ).describe('Name of the receiver, by which status and metrics show it.'),
    url: address().describe('Address that is called by POST. It counts as a secret.'),
    urlFile: text().optional().describe('File that holds the address.'),
    secret: text()
      .min(16, { error: 'is too short: at least 16 characters' })
      .optional()
      .describe('Key of the signature that each message carries. Without it messages have no signature.'),
    secretFile: text().optional().describe('File that holds the key.'),
    headers: headers()
      .optional()
      .describe('Further headers: name=value,name=value, with values percent-encoded.'),
    headersFile: text().optional().describe('File that holds the headers.'),
    events: z
      .array(oneOf(noticeEvents))
      .min(1)
      .prefault([...noticeEvents])
      .describe('What the receiver is told; everything if not given.'),
    timeout: duration(100).prefault('10s').describe('Longest wait for an answer.'),
  })
  .transform(({ urlFile: _u, secretFile: _s, headersFile: _h, timeout, ...rest }) => ({
    ...rest,
    timeoutMs: timeout,
  }));

/** Who is told when something is wrong, and of what. */
export const notifySchema = z
  .strictObject({
    webhooks: z
      .array(webhook)
      .superRefine((webhooks, context) => {
        const names = webhooks.map(({ name }) => name);
        const twice = names.find((name, k) => names.indexOf(name) !== k);
        if (twice !== undefined) context.addIssue(`has two webhooks with the name ${twice}`);
      })
      .prefault([])
      .describe('Receivers of messages.'),
    installation: text()
      .optional()
      .describe('Name of this installation in messages; the host of the platform if not given.'),
    after: duration()
      .prefault('2m')
      .describe(
        'How long something must be wrong before it is told, and be over before the recovery is told.',
      ),
    gapsOlderThan: duration().prefault('1h').describe('Age of the oldest gap from which on gaps are told.'),
    alarmStorm: z
      .strictObject({
        alarms: integer(1, 1_000_000)
          .prefault(100)
          .describe('Alarms that must begin within this time to be a storm.'),
        within: duration(60_000).prefault('10m').describe('Time in which the alarms are counted.'),
      })
      .transform(({ within, ...rest }) => ({ ...rest, withinMs: within }))
      .prefault({})
      .describe('When many alarms of the plant are told as a storm.'),
  })
  .transform(({ after, gapsOlderThan, ...rest }) => ({
    ...rest,
    afterMs: after,
    gapsOlderThanMs: gapsOlderThan,
  }))
  .prefault({});

/** The address that is called while all is well. */
export const heartbeatSchema = z
  .strictObject({
    url: address()
      .optional()
      .describe('Address to call while all is well, for a dead-man switch. It counts as a secret.'),
    urlFile: text().optional().describe('File that holds the address.'),
    method: oneOf(['GET', 'POST']).prefault('GET').describe('How the address is called.'),
    every: duration(1_000).prefault('1m').describe('Distance between two calls.'),
    timeout: duration(100).prefault('10s').describe('Longest wait for an answer.'),
  })
  .transform(({ urlFile: _, every, timeout, ...rest }) => ({ ...rest, everyMs: every, timeoutMs: timeout }))
  .prefault({});
