import type { Config } from '../../config/config-schema.ts';
import type { PollScope } from '../../normalize/apply-alarm-poll.ts';
import { ALARMS } from '../stream-names.ts';

/** Number under which the whole history of alarms is one series of the coverage ledger. */
export const ALARM_SERIES = 0;

type Settings = Pick<Config, 'alarms'>;

/** Returns which alarms the polls look at. */
export function pollScope({ alarms: { current, filter } }: Settings): PollScope {
  return {
    filter: filterText({ keyword: current.keyword, priority: filter.priority }),
    priorities: filter.priority,
    hasKeyword: current.keyword !== undefined,
  };
}

/**
 * Returns the name of the alarm history in the coverage ledger. The name holds the filter, because a filtered
 * read proves nothing about hidden alarms.
 */
export function historyName({ alarms: { history, filter } }: Settings): string {
  const text = filterText({ keyword: history.keyword, priority: filter.priority });
  return text === null ? ALARMS : `${ALARMS}/${text}`;
}

/** Tells whether the configuration reads alarms. */
export function readsAlarms({ alarms: { current, history } }: Settings): boolean {
  return current.enabled || history.enabled;
}

/** Writes the filters that are set as JSON. Returns null if no filter is set. */
function filterText(set: Readonly<Record<string, unknown>>): string | null {
  const text = JSON.stringify(set);
  return text === '{}' ? null : text;
}
