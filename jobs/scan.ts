import type { Config, Selection } from '../src/config/config-schema.ts';
import { periodOf } from '../src/queue/next-run.ts';
import type { Stream } from '../src/streams/define.ts';
import { streams } from '../src/streams/index.ts';
import type { SyncContext } from '../src/sync/context.ts';
import { SCAN, syncStream } from '../src/sync/directory/sync-stream.ts';
import { isNamedInFull } from '../src/sync/selection/select-series.ts';
import type { Job } from './job.ts';

/**
 * Lists one job for each list of the directory that is switched on. The job also reads the details of the
 * list, and waits for the job of its parent.
 */
export function listScans(config: Config): Job[] {
  return streams.flatMap((stream) => {
    const settings = config.streams[stream.name];
    if (stream.updates || !settings?.enabled) return [];
    const parent = stream.parent?.stream.name ?? '';
    return {
      name: scanOf(stream.name),
      queue: 'sync',
      schedule: settings.schedule,
      needs: config.streams[parent]?.enabled ? [scanOf(parent)] : [],
      recorded: { stream: stream.name, kind: SCAN },
      run: (ctx) => syncStream(ctx, stream, { periodMs: periodOfScans(ctx, stream) }),
    };
  });
}

/**
 * Returns the milliseconds between two scans of a list. Details that are due before the next scan are read in
 * this one. Commands follow the schedule of the service, too.
 */
export function periodOfScans(
  { config, clock }: Pick<SyncContext, 'config' | 'clock'>,
  { name }: Pick<Stream, 'name'>,
): number {
  const schedule = config.streams[name]?.schedule;
  if (schedule === undefined) return 0;
  return periodOf(schedule, { nowMs: clock() / 1000, timezone: config.schedule.timezone });
}

/**
 * Names the scan that finds the series of a selection. The list is empty if that scan is switched off, or the
 * selection names its series in full.
 */
export function directoryOfSeries(config: Config, selection: Selection): string[] {
  return config.streams.object_properties?.enabled && !isNamedInFull(selection)
    ? [scanOf('object_properties')]
    : [];
}

function scanOf(stream: string): string {
  return `scan-${stream}`;
}
