import { join, relative } from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import type { EmbeddedServer } from '../../../postgres/embedded/start-embedded.ts';
import type { Simulator } from '../../../simulator/simulator-options.ts';
import { ODD, TROUBLED, UNREADABLE } from './leave-trouble.ts';

export interface DemoFacts {
  readonly config: Config;
  readonly server: EmbeddedServer;
  readonly simulator: Simulator;
  /** The path of the configuration with which commands work on the data of the demo. */
  readonly file: string;
}

/** Describes what people may look at while the demo runs, and what to mend. */
export function describeDemo(
  facts: DemoFacts,
  { url, command }: { url: string | undefined; command: string },
): string[] {
  const { simulator, server, config } = facts;
  const file = relative('.', facts.file);
  const console = url === undefined ? [] : [`  console    ${url}`];
  const influx =
    config.influx === undefined
      ? []
      : [`  influx     ${config.influx.url}, database ${config.influx.database}`];
  return [
    'look at it:',
    ...console,
    `  commands   ${command} status --config ${file}`,
    `             ${command} export --config ${file} --object ${TROUBLED} --property '*' --from -1h`,
    `  postgres   PGPASSWORD=$(cat ${join(server.home, 'password')}) psql "${server.url}"`,
    ...influx,
    `  platform   ${simulator.baseUrl}/simulator`,
    '',
    'two things are wrong on purpose:',
    `  a gap      the platform refused the history of ${TROUBLED}/${UNREADABLE}, and now answers again.`,
    `             Fill the gap on the coverage page, or by:`,
    `             ${command} backfill --config ${file} --from -3h`,
    `             The service fills it by itself ten minutes after the refusal.`,
    `  a reject   one value of ${TROUBLED}/${ODD} was nested too deeply, and now is a number.`,
    `             Try it again on the rejects page, or by:`,
    `             ${command} rejects replay --config ${file}`,
  ];
}

/** Tells where the data of a demo is that has ended. */
export function describeData({ file, config }: DemoFacts): string[] {
  return [
    `the data is below ${relative('.', config.postgres.dataDir)}; commands read it by --config ${relative('.', file)} while a demo runs`,
  ];
}
