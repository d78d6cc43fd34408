/** Begin of the time range of the dashboard, in SQL. */
export const FROM = '$__timeFrom()::timestamptz';
/** End of the time range of the dashboard, in SQL. */
export const TO = '$__timeTo()::timestamptz';
/** End of what can be known: the end of the range, or now. */
export const KNOWN_TO = `least(${TO}, now())`;

/**
 * The first and the last day of the range, as days of the plant. The session of a query may be in another
 * zone, so a cast to a date would name other days.
 */
export const FIRST_DAY = `(select min(day) from bi.calendar where ends_at > ${FROM})`;
export const LAST_DAY = `(select max(day) from bi.calendar where starts_at < ${TO})`;

/** Begin of the bucket of a time. A bucket is as long as a pixel is wide, or `leastMs` if that is longer. */
export const bucketOf = (time: string, leastMs = 1): string =>
  `date_bin(greatest($__interval_ms, ${leastMs}) * interval '1 ms', ${time}, timestamptz 'epoch')`;

/**
 * The series that people chose, as a part of `with`. The column `series` is the name in the legend: the show
 * name of the object, with its alias where two objects share that name.
 */
export const CHOSEN = `chosen as (
  select series_id, object, object_name, property, property_name, unit, low, high,
    object_name
      || case when count(*) over (partition by property, object_name) > 1 then ' (' || object || ')' else '' end
      || case when count(*) over (partition by object) > 1 then ' · ' || property_name else '' end as series
  from bi.tags
  where object in ($object) and property in ($property)
)`;

/** Link of a row of a table to the explorer. The row has the named columns, and times in milliseconds. */
export const EXPLORER_OF_ROW =
  '/d/plantsync-explorer?var-template=${__data.fields.template:percentencode}' +
  '&var-property=${__data.fields.property:percentencode}&var-object=${__data.fields.object:percentencode}';

/** The condition for rows whose objects are of the chosen templates. */
export const OF_TEMPLATE = `coalesce(template_name, 'none') in ($template)`;
