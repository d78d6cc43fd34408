import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import { FROM, KNOWN_TO, TO } from './fragments.ts';
import type { QueryBuilder } from './sources.ts';
import { influx, influxql, sql } from './sources.ts';

/** Makes marks in all charts of a dashboard from the rows of a query. */
function annotation(
  name: string,
  { color, query, enabled = true }: { color: string; query: QueryBuilder; enabled?: boolean },
): AnnotationQuery {
  const target = query.build();
  // The SDK knows the target of annotations that Grafana keeps by itself only.
  return { name, datasource: target.datasource, enable: enabled, iconColor: color, target: target as never };
}

/** Alarms of the chosen objects, from their start to their end. */
export const alarmsOfObjects = (): AnnotationQuery =>
  annotation('Alarms', {
    color: 'red',
    query: sql(
      `
      select started_at as time,
        coalesce(ended_at, case when is_active then ${KNOWN_TO} end) as timeend,
        show_name || coalesce(': ' || description, '') as text,
        object_name || ',priority ' || coalesce(priority::text, '?') as tags
      from bi.alarm_facts
      where object in ($object) and started_at < ${TO}
        and coalesce(ended_at, case when is_active then ${TO} else started_at end) >= ${FROM}
      order by started_at desc
      limit 500`,
      'Anno',
    ),
  });

/** Ranges of the chosen series that a store lacks. */
export const gapsOfSeries = (store: string): AnnotationQuery =>
  annotation('Gaps', {
    color: 'orange',
    query: sql(
      `
      select greatest(lower(gap), ${FROM}) as time, upper(gap) as timeend,
        'not stored: ' || v.object_name || ' · ' || v.property_name as text, v.store as tags
      from bi.coverage as v
      cross join lateral unnest(
        tstzmultirange(tstzrange(${FROM}, greatest(${FROM}, ${KNOWN_TO}))) - v.covered) as gap
      where v.object in ($object) and v.property in ($property) and v.stream = 'history'
        and v.store like '${store}:%' and upper(gap) - lower(gap) > interval '1 minute'
      order by 1
      limit 500`,
      'Anno',
    ),
  });

/** Events of alarms as InfluxDB has them. */
export const alarmEventsOfObjects = (): AnnotationQuery => {
  const query = influxql(
    `
    SELECT "description", "name", "transition" FROM "alarm_events"
    WHERE $timeFilter AND "object" =~ /^\${object:regex}$/ AND "transition" = 'raised'
    LIMIT 500`,
    { refId: 'Anno' },
  );
  const columns = {
    fromAnnotations: true,
    textColumn: 'description',
    titleColumn: 'name',
    tagsColumn: 'transition',
  };
  return {
    ...annotation('Alarms', { color: 'red', query: { build: () => ({ ...query.build(), ...columns }) } }),
    datasource: influx,
  };
};
