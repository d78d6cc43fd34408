import { bucketOf } from './fragments.ts';
import { partitionBySeries } from './frames.ts';
import { barsOverTime } from './panels.ts';
import { sql } from './sources.ts';

/** How many alarms began over time. `where` is SQL that chooses the alarms. */
export const alarmsRaised = ({ where, ...size }: { where: string; width: number; height: number }) =>
  barsOverTime({
    title: 'Alarms raised',
    about: 'How many alarms began in each step of time, by priority.',
    query: sql(`
    select ${bucketOf('started_at', 60_000)} as time, 'priority ' || coalesce(priority::text, '?') as series,
      count(*) as "Value"
    from bi.alarm_facts
    where $__timeFilter(started_at) and ${where}
    group by 1, 2
    order by 1`),
    ...size,
  }).withTransformation(partitionBySeries());
