import { z } from 'zod';
import { boolean, share, text, url } from './fields.ts';
import { headers } from './headers.ts';
import { switchable } from './schedule.ts';

/** Traces by OpenTelemetry. Headers become a map of names to values. */
export const tracingSchema = switchable(
  z.strictObject({
    enabled: boolean().prefault(false).describe('Whether to send traces by OpenTelemetry.'),
    endpoint: url({ protocols: ['http', 'https'], example: 'http://localhost:4318' })
      .optional()
      .describe(
        'Receiver, by OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT or http://localhost:4318 if not given.',
      ),
    headers: headers()
      .optional()
      .describe('Headers for the receiver, as OTEL_EXPORTER_OTLP_HEADERS has them: name=value,name=value.'),
    headersFile: text().optional().describe('File that holds the headers.'),
    sampleShare: share().prefault('100%').describe('Share of the runs that are recorded.'),
  }),
)
  .prefault({})
  .transform(({ headersFile: _, ...rest }) => rest);
