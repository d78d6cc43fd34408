import { z } from 'zod';
import { listEffective, type Origin } from '../../config/origins.ts';
import { route } from './route.ts';

const originReply = z.object({
  kind: z.enum(['default', 'file', 'environment', 'secretFile', 'commandLine']),
  file: z.string().optional(),
  line: z.number().optional(),
  variables: z.array(z.string()).optional().describe('Variables of the environment that gave the value.'),
  option: z.string().optional().describe('The option that names the secret file.'),
});

const optionReply = z.object({
  path: z.string(),
  value: z.unknown().describe('As in plantsync.yaml; secrets are masked. Missing if it is not set.'),
  origin: originReply,
  about: z.string().optional(),
});
export type OptionReply = z.output<typeof optionReply>;

const getConfiguration = route({
  method: 'get',
  path: '/configuration',
  id: 'getConfiguration',
  summary: 'Lists every option with its value, and where the value came from.',
  reply: z.object({ items: z.array(optionReply) }),
  handle: async ({ layers, redact }) => ({
    items: listEffective(layers, redact).map(({ origin, ...option }) => ({
      ...option,
      origin: describeOrigin(origin),
    })),
  }),
});

function describeOrigin(origin: Origin): OptionReply['origin'] {
  if (origin.kind === 'environment') return { kind: origin.kind, variables: [origin.variable] };
  return origin.kind === 'file' ? { ...origin, variables: [...origin.variables] } : origin;
}

export const configurationRoutes = [getConfiguration];
