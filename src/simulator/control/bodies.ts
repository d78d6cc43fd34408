import { z } from 'zod';
import { collectionNames } from '../plant/apply-change.ts';

const time = z.union([z.number(), z.string().min(1)]);
const points = z.array(z.tuple([time, z.json()]));
const record = z.record(z.string(), z.unknown());
const recordKey = z.string().min(1);
const property = z.looseObject({
  name: recordKey,
  primitiveType: z.string().optional(),
  persisted: z.boolean().optional(),
  logged: z.boolean().optional(),
  points: points.optional(),
});

/**
 * The bodies that the control routes take. Records may have any member, since the plant shows them as they
 * are.
 */
export const bodies = {
  tokenLifetime: z.strictObject({ seconds: z.number().min(0) }),
  revocation: z.strictObject({ refreshTokens: z.boolean().optional() }),
  points: z.strictObject({ series: recordKey, points }),
  object: z.looseObject({
    name: recordKey,
    templateName: z.string().optional(),
    listed: z.boolean().optional(),
    properties: z.array(property).optional(),
  }),
  change: z
    .strictObject({
      collection: z.enum(collectionNames),
      kind: z.enum(['add', 'update', 'remove']),
      of: z.string().optional(),
      record: record.optional(),
      place: z.enum(['first', 'last']).optional(),
      key: recordKey.optional(),
      change: record.optional(),
    })
    .superRefine((change, context) => {
      const needed = { add: ['record'], update: ['key', 'change'], remove: ['key'] } as const;
      for (const member of ['record', 'key', 'change'] as const) {
        const isNeeded = (needed[change.kind] as readonly string[]).includes(member);
        if (isNeeded === (change[member] !== undefined)) continue;
        const message = `a change of kind ${change.kind} ${isNeeded ? 'needs it' : 'does not take it'}`;
        context.addIssue({ code: 'custom', path: [member], message });
      }
    }),
  alarm: z.strictObject({
    sourceObjName: z.string(),
    sourcePropName: z.string(),
    sourceObjShowName: z.string().optional(),
    sourcePropShowName: z.string().optional(),
    alarmType: z.string().optional(),
    description: z.string().optional(),
    priority: z.int().min(1).max(10).optional(),
    showName: z.string().optional(),
    value: z.string().optional(),
    raisedMs: z.number().optional(),
    acknowledgedMs: z.number().optional(),
    ackUserName: z.string().optional(),
    clearedMs: z.number().optional(),
  }),
} as const;
