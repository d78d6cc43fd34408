import type { Config } from '../../config/config-schema.ts';
import type { PollScope } from '../../normalize/apply-alarm-poll.ts';
import { ALARMS } from '../stream-names.ts';

/** The whole history of alarms is one series of the coverage ledger. */
export const ALARM_SERIES = 0;

type Settings = Pick<Config, 'alarms'>;

/** What polls of current alarms look at. */
export function pollScope({ alarms: { current, filter } }: Settings): PollScope {
  return {
    filter: filterText({ keyword: current.keyword, priority: filter.priority }),
    priorities: filter.priority,
    hasKeyword: current.keyword !== undefined,
  };
}

/** Name of the history in the coverage ledger: what was read under a filter says nothing of what the filter hides. */
export function historyName({ alarms: { history, filter } }: Settings): string {
  const text = filterText({ keyword: history.keyword, priority: filter.priority });
  return text === null ? ALARMS : `${ALARMS}/${text}`;
}

/** Whether anything is read of alarms. */
export function readsAlarms({ alarms: { current, history } }: Settings): boolean {
  return current.enabled || history.enabled;
}

/** The filters that are set, as JSON; null for none. */
function filterText(set: Readonly<Record<string, unknown>>): string | null {
  const text = JSON.stringify(set);
  return text === '{}' ? null : text;
}
