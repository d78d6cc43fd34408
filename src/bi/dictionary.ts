import type { BiView } from './bi-view.ts';

const INTRODUCTION = `# Dictionary of the views for BI tools

<!-- Made by \`npm run dictionary\` from src/bi/views. -->

Schema \`bi\` (\`postgres.biSchema\`) holds views for BI tools and dashboards. Every view, function and column carries its text as a
comment in PostgreSQL. The tables behind them are in [data-dictionary.md](data-dictionary.md).

- Times are instants (\`timestamptz\`). Columns \`local_…\` hold the time of day of the plant, in \`platform.timezone\`, else in UTC.
- Columns \`…_sec\` hold seconds. Shares are numbers from 0 to 1.
- What is not known is null, and never 0.
- The names \`object\` and \`property\` are aliases, which never change. \`object_name\` and \`property_name\` are for people.
- A function stands in \`from\` like a table: \`select * from bi.completeness(now() - interval '7 days', now(), '1 day')\`.

plantsync makes the views again when they change. Rights on them stay. Keep views of your own in another schema.

## Tables that you fill

plantsync makes these two tables in schema \`plant\`, and only reads them.

\`property_notes\` says what people know of the properties. The views show it with each series. The object \`*\` stands for every object
that has the property. Its columns count where the note of an object says nothing.

\`\`\`sql
insert into plant.property_notes (object, property, unit, display_name, low, high) values
  ('*', 'temp', '°C', 'Bearing temperature', 10, 80),
  ('pump2', 'temp', null, null, null, 95);
\`\`\`

| column | type | meaning |
|---|---|---|
| \`object\`, \`property\` | text | The series; \`*\` for every object. |
| \`unit\` | text | Unit of the values. |
| \`display_name\` | text | Name of the property on dashboards, if another than that of the platform. |
| \`low\`, \`high\` | double precision | Values outside are too low or too high. |
| \`target\` | double precision | Value that is aimed at. |
| \`comment\` | text | Free text. |

\`shifts\` holds the shifts of the plant. A shift that does not end after its begin ends on the next day.

\`\`\`sql
insert into plant.shifts (name, begins, ends, weekdays) values
  ('early', '06:00', '14:00', '{1,2,3,4,5}'), ('late', '14:00', '22:00', '{1,2,3,4,5}'), ('night', '22:00', '06:00', default);
\`\`\`

| column | type | meaning |
|---|---|---|
| \`name\` | text | Name of the shift. |
| \`begins\`, \`ends\` | time | Time of day in the zone of the plant. |
| \`weekdays\` | integer[] | Days on which the shift begins: 1 is Monday, 7 is Sunday; every day by default. |`;

/** Renders the page `docs/bi-dictionary.md`. */
export function renderBiDictionary(views: readonly BiView[]): string {
  return [
    INTRODUCTION,
    '',
    '## Views',
    '',
    ...views.map((view) => `- [\`${view.name}\`](#${view.name}): ${firstSentence(view.about)}`),
    ...views.flatMap(renderView),
    '',
  ].join('\n');
}

function renderView(view: BiView): string[] {
  return [
    '',
    `### ${titleOf(view)}`,
    '',
    view.about,
    '',
    ...(view.takes === undefined ? [] : [`Takes: \`${view.takes}\`.`, '']),
    '| column | type | meaning |',
    '|---|---|---|',
    ...view.columns.map(
      ({ name, type, about }) => `| \`${name}\` | ${type} | ${about.replaceAll('|', '\\|')} |`,
    ),
  ];
}

function titleOf({ name, takes }: BiView): string {
  return takes === undefined ? name : `${name}()`;
}

function firstSentence(text: string): string {
  return /^.*?[.](?= |$)/.exec(text)?.[0] ?? text;
}
