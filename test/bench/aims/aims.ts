/** What a measured value should be: at most or at least so much. */
export interface Aim {
  readonly what: string;
  /** The unit of the value, as it is printed after a number. Empty for a count. */
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/**
 * All aims. Those of lists are for two million properties, without latency where none is named. Those of
 * series are for two million with ten ranges of coverage each, and with holes of their own.
 */
export const aims = {
  firstLoad: { what: 'first load of the directory', unit: 'bare loops', atMost: 1.8 },
  rescan: { what: 'scan of an unchanged directory', unit: 'bare loops', atMost: 1.2 },
  scanMemory: { what: 'memory of any scan', unit: 'MiB', atMost: 256 },
  firstLoadAt10Ms: { what: 'first load, replies after 10 ms', unit: 'bare loops', atMost: 1.1 },
  rescanAt10Ms: { what: 'unchanged directory, replies after 10 ms', unit: 'bare loops', atMost: 1.1 },

  poll: { what: 'poll of 1,600 of all series', unit: 'times that in a plant of 1,600', atMost: 1 },
  increment: { what: 'increment of 1,600 of all series', unit: 'times that in a plant of 1,600', atMost: 1 },
  pollMemory: { what: 'memory of that poll', unit: 'times that in a plant of 1,600', atMost: 1 },
  incrementMemory: { what: 'memory of that increment', unit: 'times that in a plant of 1,600', atMost: 1 },
  upToDate: { what: 'increment of 100,000 series that are up to date', unit: 's', atMost: 3 },
  dryRunMemory: { what: 'memory of a dry run of all series', unit: 'MiB', atMost: 256 },
  backfillBegin: { what: 'first request of a backfill of all series', unit: 's', atMost: 10 },
  backfillMemory: { what: 'memory of that backfill', unit: 'MiB', atMost: 512 },

  status: { what: '`status`', unit: 's', atMost: 2 },
  gapSums: { what: '`gaps --summary`', unit: 's', atMost: 5 },
  gapsMemory: { what: 'memory of the list of gaps', unit: 'MiB', atMost: 256 },
  discoverMemory: { what: 'memory of `discover`', unit: 'MiB', atMost: 256 },

  'postgres plain': { what: 'a decimal into Postgres', unit: 'µs of processor time', atMost: 1 },
  'postgres int64': { what: 'a large integer into Postgres', unit: 'decimals', atMost: 2 },
  'postgres text': { what: 'a text into Postgres', unit: 'decimals', atMost: 2 },
  'postgres mixed': { what: 'a value of a mixed column into Postgres', unit: 'decimals', atMost: 2 },
  'influx plain': { what: 'a decimal into InfluxDB', unit: 'µs of processor time', atMost: 1 },
  'influx int64': { what: 'a large integer into InfluxDB', unit: 'decimals', atMost: 2 },
  'influx text': { what: 'a text into InfluxDB', unit: 'decimals', atMost: 2 },
  'influx mixed': { what: 'a value of a mixed column into InfluxDB', unit: 'decimals', atMost: 2 },
  'files Postgres': { what: 'points into Postgres', unit: 'of the speed from files', atLeast: 0.95 },
  'files InfluxDB': { what: 'points into InfluxDB', unit: 'of the speed from files', atLeast: 0.95 },

  pollCore: { what: '20,000 values every second', unit: 'core', atMost: 0.5 },
  pollsLeftOut: { what: 'polls of 18,000 every second that were left out', unit: '', atMost: 0 },
  largePollsLeftOut: { what: 'polls of 200,000 every 10 s that were left out', unit: '', atMost: 0 },

  failover: { what: 'longest stop while Redis fails over', unit: 's', atMost: 30 },
  lostPieces: { what: 'pieces of work lost by that', unit: '', atMost: 0 },
} as const satisfies Record<string, Aim>;

export type AimName = keyof typeof aims;

/** A message from a measurement to the process that started it. */
export interface Judged {
  readonly aim: AimName;
  readonly value: number;
}

export function isAimName(name: string): name is AimName {
  return name in aims;
}

/** Tells whether a value reaches its aim. */
export function isReached(name: AimName, value: number): boolean {
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Aim = aims[name];
  return value <= atMost && value >= atLeast;
}

/** Prints a value next to its aim, and tells it to a process that measures all aims. */
export function judge(name: AimName, value: number): void {
  console.log(
    `  aim: ${aims[name].what}: ${valueText(name, value)}, ${limitText(name)}: ${verdict(name, value)}`,
  );
  process.send?.({ aim: name, value } satisfies Judged);
}

export function valueText(name: AimName, value: number): string {
  const number = value.toLocaleString('en', { maximumSignificantDigits: 3 });
  return `${number} ${aims[name].unit}`.trim();
}

export function limitText(name: AimName): string {
  const { atMost, atLeast }: Aim = aims[name];
  return atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
}

export function verdict(name: AimName, value: number): string {
  return isReached(name, value) ? 'reached' : 'missed';
}
