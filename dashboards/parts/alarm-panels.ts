import { byValue, steps } from './colors.ts';
import { bucketOf } from './fragments.ts';
import { partitionBySeries } from './frames.ts';
import { barsOverTime, stat } from './panels.ts';
import { sql } from './sources.ts';

/** Which alarms a panel shows, as SQL, and the size of the panel. */
interface AlarmPanel {
  readonly where: string;
  readonly width: number;
  readonly height: number;
}

/** How many alarms are active now, and how many of them nobody has acknowledged. */
export const alarmsActive = ({ where, title, ...size }: AlarmPanel & { readonly title: string }) =>
  stat({
    title,
    about: 'Alarms that are active now, and those of them that nobody has acknowledged.',
    query: sql(`
    select count(*) as active, count(*) filter (where is_acknowledged is not true) as "not acknowledged"
    from bi.alarm_facts
    where is_active and ${where}`),
    ...size,
  })
    .thresholds(steps('green', [1, 'orange'], [20, 'red']))
    .colorScheme(byValue());

/** How many alarms began over time. */
export const alarmsRaised = ({ where, ...size }: AlarmPanel) =>
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
