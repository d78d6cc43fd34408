import { z } from 'zod';
import { logFormats, logLevels } from '../log.ts';
import { alarmsSchema } from './alarms-schema.ts';
import { consoleSchema } from './console-schema.ts';
import { boolean, duration, integer, oneOf, share, size, zone } from './fields.ts';
import { influxSchema } from './influx-schema.ts';
import { heartbeatSchema, notifySchema } from './notify-schema.ts';
import { platformSchema } from './platform-schema.ts';
import { postgresSchema } from './postgres-schema.ts';
import { redisSchema } from './redis-schema.ts';
import { runtimeSchema } from './runtime-schema.ts';
import { streamsSchema } from './streams-schema.ts';
import { tracingSchema } from './tracing-schema.ts';

/**
 * The whole of plantsync.yaml. Its output is the configuration that the program uses: with defaults filled
 * in, and durations in milliseconds.
 */
export const configSchema = z.strictObject({
  platform: platformSchema.prefault({} as never).describe('The platform that is read.'),
  postgres: postgresSchema.prefault({}).describe('Postgres, where rows, points and the ledger live.'),
  influx: influxSchema.prefault({}).describe('InfluxDB, if points go there too.'),
  redis: redisSchema.prefault({}).describe('Redis, if several processes share the work.'),
  streams: streamsSchema.prefault({}).describe('The directory of the platform.'),
  runtime: runtimeSchema.describe(
    'What is read of the runtime data; a property takes the first selection that matches.',
  ),
  alarms: alarmsSchema.describe('What is read of the alarms.'),
  schedule: z
    .strictObject({ timezone: zone().prefault('UTC').describe('Zone of cron expressions.') })
    .prefault({})
    .describe('How schedules are understood.'),
  bi: boolean()
    .prefault(true)
    .describe('Whether plantsync keeps the views for BI tools and dashboards in postgres.biSchema.'),
  rollups: boolean()
    .prefault(true)
    .describe('Whether plantsync keeps hourly and daily rollups of the points in Postgres.'),
  console: consoleSchema.prefault({}).describe('Health and metrics of the service over HTTP.'),
  log: z
    .strictObject({
      level: oneOf(logLevels).prefault('info').describe('Least important entries to log.'),
      format: oneOf(logFormats)
        .prefault('auto')
        .describe('JSON lines, or text for people; auto writes text to a terminal and JSON elsewhere.'),
    })
    .prefault({})
    .describe('What is logged on stderr, and how.'),
  notify: notifySchema.describe('Messages to webhooks when something is wrong, and when it is over.'),
  heartbeat: heartbeatSchema.describe('Calls while all is well, for a dead-man switch.'),
  tracing: tracingSchema.describe('Traces by OpenTelemetry, which show what takes the time.'),
  limits: z
    .strictObject({
      shutdownTimeout: duration()
        .prefault('20s')
        .describe('Longest time for running jobs to end after SIGTERM.'),
      rowsPerRead: integer(1, 1_000_000)
        .prefault(10_000)
        .describe('Rows that one read of history should return; the request allows five times as many.'),
      maxRejects: integer(0, 1_000_000_000)
        .prefault(0)
        .describe(
          'Most entries of a stream that one run may refuse; with more the run counts as done in part.',
        ),
      bytesInFlight: size().prefault('64MiB').describe('Most bytes of replies that wait to be stored.'),
      pollBufferValues: integer(1, 100_000_000)
        .prefault(1_000_000)
        .describe('Most polled values that wait in memory while Postgres is away; the oldest are dropped.'),
      pollBufferBytes: size()
        .prefault('64MiB')
        .describe('Most bytes that polled values may take while they wait in memory.'),
      deleteAfterMissing: integer(1, 100)
        .prefault(2)
        .describe('Complete scans in a row that must miss an entry before its row is marked as deleted.'),
      maxDeleteShare: share()
        .prefault('30%')
        .describe(
          'Largest share of the rows of a table that a scan deletes; above it none is deleted until you accept it.',
        ),
      compareUnchanged: duration()
        .prefault('7d')
        .describe(
          'Time after which a list that sends the same as before is compared with its table row by row all the same.',
        ),
      keepChanges: duration()
        .prefault('365d')
        .describe('How long the former values of changed and deleted rows are kept.'),
    })
    .transform(({ shutdownTimeout, compareUnchanged, keepChanges, ...rest }) => ({
      ...rest,
      compareUnchangedMs: compareUnchanged,
      shutdownTimeoutMs: shutdownTimeout,
      keepChangesMs: keepChanges,
    }))
    .prefault({})
    .describe('Limits for the resources of the process, and for what is deleted and kept.'),
});

export type Config = z.output<typeof configSchema>;
export type Selection = Config['runtime'][number];
