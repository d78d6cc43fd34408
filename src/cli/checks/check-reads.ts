import type { Config } from '../../config/config-schema.ts';
import { PlantsyncError } from '../../errors.ts';
import { nothingTold } from '../../extract/current-reader.ts';
import type { Platform } from '../../platform/platform.ts';
import type { OperationInput } from '../../platform/shapes.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { plural } from '../../sync/count-text.ts';
import { settingsOf } from '../../sync/stream-settings.ts';
import type { Check } from './check.ts';
import { type Look, StreamLooks } from './check-streams.ts';

const HISTORY_SEC = 3600;

/** Lists the checks of the operations that the configured streams use, with one small read each. */
export function readsOf(config: Config, platform: Platform): Check[] {
  const looks = new StreamLooks(config, platform);
  const enabled = streams.filter((stream) => settingsOf(config, stream).enabled);
  const nameOf = (stream: Stream) => nameOfRead(stream, enabled);
  const lists = enabled.map((stream): Check => {
    const needs = stream.parent && enabled.includes(stream.parent.stream) ? nameOf(stream.parent.stream) : '';
    return {
      what: nameOf(stream),
      remedy: remedyOf(config, stream.operation, stream),
      ...(needs !== '' && { needs }),
      look: async () => describeLook(config, stream, await looks.look(stream)),
    };
  });
  const needs = enabled.includes(objectProperties) ? { needs: nameOf(objectProperties) } : {};
  const runtime = readsOfRuntime(config, platform, () => findSeries(looks));
  const runtimeReads = runtime.map((read) => ({ ...read, ...needs }));
  return [...lists, ...runtimeReads, ...readsOfAlarms(config, platform)].map((read) => ({
    ...read,
    needsToken: true,
  }));
}

/**
 * Returns the name of a read: the operation, with the stream where an earlier stream uses the same operation.
 */
function nameOfRead(stream: Stream, enabled: readonly Stream[]): string {
  const first = enabled.find(({ operation }) => operation === stream.operation);
  return first === stream || first === undefined ? stream.operation : `${stream.operation} (${stream.name})`;
}

function remedyOf(config: Config, operation: string, stream?: Stream): string {
  const filter =
    stream && hasFilter(config, stream) ? ` and that it takes streams.${stream.name}.filter` : '';
  return `see that the application may use this operation${filter}; "plantsync call ${operation}" shows the reply itself`;
}

function hasFilter(config: Config, { name, filters = {} }: Stream): boolean {
  return Object.keys(config.streams[name]?.filter ?? {}).some((key) => filters[key]?.narrows !== false);
}

function describeLook(config: Config, stream: Stream, { found, owner, noParent }: Look): string {
  if (noParent) return `nothing to read yet: the platform shows no ${stream.parent?.stream.name}`;
  const of = owner === undefined ? '' : ` of ${owner}`;
  if (stream.updates) return `details${of} read`;
  const hidden =
    found.length === 0 && hasFilter(config, stream) ? `; streams.${stream.name}.filter may hide all` : '';
  return `${plural(found.length, 'entry', 'entries')}${of} read${hidden}`;
}

function readsOfRuntime(config: Config, platform: Platform, names: () => Promise<string[]>): Check[] {
  const current = {
    what: 'readCurrent',
    remedy: remedyOf(config, 'readCurrent'),
    look: async () => {
      const [name] = await names();
      if (name === undefined) return 'nothing to read yet: no object has properties';
      const { values } = await platform.readCurrent([name]);
      if (values.size === 0) throw nothingTold();
      return `${values.size} value of ${name} read`;
    },
  };
  const history = {
    what: 'readHistory',
    remedy: remedyOf(config, 'readHistory'),
    look: async () => {
      const [name] = await names();
      if (name === undefined) return 'nothing to read yet: no object has properties';
      const toSec = Math.floor(Date.now() / 1000);
      const request = { series: [name], fromSec: toSec - HISTORY_SEC, toSec, limit: 10, offset: 0 };
      const { columns } = await platform.readHistory(request);
      return `${plural(
        columns.reduce((sum, { rows }) => sum + rows.length, 0),
        'row',
      )} of ${name} in the last hour read`;
    },
  };
  return [
    ...(config.runtime.some((selection) => selection.current.enabled) ? [current] : []),
    ...(config.runtime.some((selection) => selection.history.enabled) ? [history] : []),
  ];
}

/**
 * Lists the checks of both alarm operations with the configured filters. Of several priorities the first is
 * read.
 */
function readsOfAlarms({ alarms }: Config, platform: Platform): Check[] {
  const [priority] = alarms.filter.priority?.map(String) ?? [];
  const onceMore = { retries: 1 };
  const remedyFor = (operation: string, more = '') =>
    `see that the application may use this operation${more}; "plantsync call ${operation}" shows the reply itself`;
  const current = {
    what: 'listCurrentAlarms',
    remedy: remedyFor('listCurrentAlarms'),
    look: async () => {
      const input = { query: { priority, keyword: alarms.current.keyword } };
      const { list } = await platform.call(
        'listCurrentAlarms',
        input as OperationInput<'listCurrentAlarms'>,
        onceMore,
      );
      if (!Array.isArray(list))
        throw new PlantsyncError(
          'platform.malformed_reply',
          'listCurrentAlarms: the reply has no member list',
        );
      return `${plural(list.length, 'current alarm')} read`;
    },
  };
  const history = {
    what: 'listAlarmHistory',
    remedy: remedyFor('listAlarmHistory', ' and that it understands platform.dialect.alarmTimes'),
    look: async () => {
      const [toSec, size] = [Math.floor(Date.now() / 1000), 10];
      const [startTime, endTime] = [toSec - HISTORY_SEC, toSec].map((sec) => formatInstant(sec * 1e6));
      const filter = { priority, keyword: alarms.history.keyword };
      const input = { query: { startTime, endTime, ...filter, page: 1, per_page: size } };
      const { items, total } = await platform.listPage(
        'listAlarmHistory',
        input as OperationInput<'listAlarmHistory'>,
        onceMore,
      );
      return `${plural(total ?? items.length, 'alarm')} of the last hour found`;
    },
  };
  return [...(alarms.current.enabled ? [current] : []), ...(alarms.history.enabled ? [history] : [])];
}

/** Returns the names of some series. Those that the platform records come first. */
async function findSeries(looks: StreamLooks): Promise<string[]> {
  const { found } = await looks.look(objectProperties);
  const isRecorded = ({ entry }: (typeof found)[number]) => entry.persisted === true || entry.logged === true;
  return [...found.filter(isRecorded), ...found].map(
    ({ key }) => `${String(key.object)}.${String(key.property)}`,
  );
}
