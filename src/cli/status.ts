import { formatInstant } from '../series/instant.ts';
import { readStatus, type Status } from '../sync/status.ts';
import { describeCoverage } from './gaps.ts';
import { type CommonOptions, type Io, print } from './io.ts';
import { withContext } from './session.ts';
import { formatNumber, renderTable } from './table.ts';

/** `plantsync status`: what was done last, what is missing, what was refused. */
export async function status(io: Io, options: CommonOptions): Promise<number> {
  return withContext(io, options, async (ctx) => {
    const found = await readStatus(ctx);
    const notes = ctx.stores.includes(ctx.postgresStore)
      ? []
      : ['postgres.samples is off: history is in InfluxDB alone'];
    print(io, options, { json: { ...found, notes }, lines: () => [...renderStatus(found), ...notes] });
    return 0;
  });
}

function renderStatus({ runs, history, rejects, outbox }: Status): string[] {
  const runRows = runs.map(({ stream, kind, status: outcome, startedAt, finishedAt, error }) => [
    stream,
    kind,
    formatInstant(Math.floor(startedAt / 1e6) * 1e6),
    finishedAt === undefined ? '' : `${formatNumber((finishedAt - startedAt) / 1e6)} s`,
    outcome,
    error ?? '',
  ]);
  return [
    ...renderTable(['stream', 'kind', 'begun', 'took', 'status', 'problem'], runRows),
    '',
    `series with history: ${history.series}`,
    ...describeCoverage(history),
    ...(history.series > 0 ? counts('missing series-hours', history.missingHours) : []),
    ...counts('rejects', rejects),
    ...counts('polls waiting', outbox),
  ];
}

function counts(title: string, byName: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(byName);
  if (entries.length === 0) return [`${title}: none`];
  return entries.map(([name, count]) => `${title} in ${name}: ${formatNumber(count)}`);
}
