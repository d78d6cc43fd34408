/** The text of the data dictionary before its tables. */
export const dictionaryIntroduction: readonly string[] = `# Data dictionary

Made by \`npm run dictionary\` from the declarations in \`src/streams\`: change them there. The same texts are the comments of the tables and
columns in Postgres.

All tables lie in the schema \`plant\` (\`postgres.schema\`). Names of columns are those of the platform in snake_case (\`showName\` is
\`show_name\`). These are different: \`created_at\`, \`created_by\`, \`modified_at\` and \`modified_by\` stand for \`createTime\`, \`createUsername\`,
\`modifyTime\` and \`modifyUsername\`. In \`alarms\`, \`started_at\` stands for \`startTime\`, \`acknowledged_at\` for \`ackTime\` and \`acknowledged_by\`
for \`ackUserName\`. Times are instants (\`timestamptz\`). History and current values of the properties, and the events of alarms, are described in
[data.md](data.md).

## Columns that every table has

| column | type | meaning |
|---|---|---|
| \`first_seen_at\` | timestamptz | When the row was first loaded. |
| \`changed_at\` | timestamptz | When the row was last loaded with a change, or deleted. |
| \`deleted_at\` | timestamptz | When the row was found to be gone from the platform; null while the platform has it. |
| \`extra\` | jsonb | Members of the record that no column holds, and values that do not fit the type of their column; such a column is null. |

The table of a stream has these columns too. The tables of its parts (lists inside of its records) do not:

| column | type | meaning |
|---|---|---|
| \`missed_scans\` | integer | Number of complete scans in a row that did not show the row. |
| \`filter\` | text | Filter of the scan that showed the row last, as JSON; null for a scan of the whole list. |
| \`detail_extra\` | jsonb | Like \`extra\`, for the operation that reads a single item; only in tables with such an operation. |
| \`detail_filled\` | jsonb | Names of the columns that the list leaves empty and that operation fills; null if there are none. A value of the list wins. |
| \`raw\`, \`detail_raw\` | jsonb | The record as the platform returned it; only if \`keepRaw\` is switched on. |

## Deleted rows and former values

Nothing is removed. A row that the platform no longer has gets a \`deleted_at\`, so **ask for the live rows with \`where deleted_at is null\`**. If the
platform shows it again, the row comes back to life.

Each update, delete and restore is kept in \`plantsync.changes\` (for \`limits.keepChanges\`): the table, the key, and the row as it was \`before\`.
To see a row as it was at some time after its \`first_seen_at\`, take the oldest change after that time. If there is none, take the row as it is now:

\`\`\`sql
select coalesce(
  (select before from plantsync.changes
   where table_name = 'objects' and key = '{"name": "pump1"}' and at > '2026-01-01T00:00:00Z'
   order by at, id limit 1),
  to_jsonb(o)) as row_then
from plant.objects as o
where name = 'pump1';
\`\`\`

## Joining

Columns that name a row of another table say so. These links are not enforced: a row may name something that the platform does not
show to this application, or that is deleted.

\`\`\`sql
-- Objects with their labels in the order of the platform.
select o.name, o.template_name, array_agg(l.label order by l.position) filter (where l.label is not null) as labels
from plant.objects as o
left join plant.object_labels as l on l.object = o.name and l.deleted_at is null
where o.deleted_at is null
group by o.name;

-- Persons, their accounts, and what these may do.
select p.name, p.show_name, u.username, r.show_name as role
from plant.persons as p
join plant.users as u on u.username = p.username and u.deleted_at is null
join plant.user_roles as ur on ur.username = u.username and ur.deleted_at is null
join plant.roles as r on r.name = ur.role and r.deleted_at is null
where p.deleted_at is null;

-- History of the numeric properties with a label.
select s.object, s.property, v.at, v.value
from plant.property_labels as l
join plant.series as s using (object, property)
join plant.samples as v using (series_id)
where l.label = 'measured' and l.deleted_at is null;
\`\`\`

A table with a \`position\` in its key keeps a list as it is: its order, and entries that occur twice. If an entry names something (a role, a
person, an event), the name is the key instead. If several entries have one name, the last counts.`.split(
  '\n',
);
