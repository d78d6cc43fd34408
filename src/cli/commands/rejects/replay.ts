import { ExitCode, UsageError } from '../../../errors.ts';
import { replayRejects } from '../../../sync/replay/replay-rejects.ts';
import type { Replayed } from '../../../sync/replay/replay-result.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { checkReachable } from '../../open/check-reachable.ts';
import { withContext } from '../../open/session.ts';
import { cutText, formatNumber, type Line, makeTable } from '../../output/table.ts';
import { KEY_LENGTH, parseIds, REASON_LENGTH, readCases, requireRejecting, toJson } from './rejects.ts';

export interface ReplayOptions extends CommonOptions {
  readonly stream?: string;
}

/** More cases than are ever open. */
const ALL_CASES = 1_000_000;

/**
 * Runs `plantsync rejects replay`: tries rejects again, all of them or the named cases. Returns exit code 3
 * if any is still refused.
 */
export async function replayCases(io: Io, ids: readonly string[], options: ReplayOptions): Promise<number> {
  const numbers = parseIds(ids);
  if (options.stream !== undefined) {
    requireRejecting(options.stream);
    if (numbers.length > 0)
      throw new UsageError(
        'usage.conflicting_options',
        'Give either --stream or the numbers of cases, not both.',
      );
  }
  return withContext(io, options, async (ctx) => {
    const chosen =
      numbers.length > 0
        ? await readCases(ctx.ledger, numbers)
        : await ctx.ledger.rejects.list({ stream: options.stream, limit: ALL_CASES });
    const settled = chosen.filter(({ resolved }) => resolved);
    const open = chosen.filter(({ resolved }) => !resolved);
    if (open.length > 0) await checkReachable(io, ctx);
    const { cases, runs } = open.length > 0 ? await replayRejects(ctx, open) : { cases: [], runs: [] };
    ctx.progress.close();
    const all = [...settled.map((reject): Replayed => ({ reject, outcome: 'resolved' })), ...cases];
    print(io, options, {
      json: { cases: all.map(({ reject, ...rest }) => ({ ...toJson(reject), ...rest })), runs },
      lines: () => renderReplay(all),
    });
    return all.every(({ outcome }) => outcome === 'resolved') ? ExitCode.done : ExitCode.partial;
  });
}

const outcomes = { resolved: 'resolved', refused: 'still refused', open: 'still open' } as const;

function renderReplay(cases: readonly Replayed[]): Line[] {
  if (cases.length === 0) return ['nothing is refused, so there is nothing to try again'];
  const rows = cases.map(({ reject, outcome, note }) => [
    String(reject.id),
    reject.stream,
    reject.kind,
    cutText(reject.key, KEY_LENGTH),
    outcomes[outcome],
    cutText(note ?? (outcome === 'refused' ? reject.reason : ''), 2 * REASON_LENGTH),
  ]);
  const resolved = cases.filter(({ outcome }) => outcome === 'resolved').length;
  return [
    makeTable(
      [
        'id',
        'stream',
        { title: 'kind', drop: 1 },
        { title: 'key', cut: 12 },
        'outcome',
        { title: 'why', wrap: 16 },
      ],
      rows,
    ),
    `${formatNumber(resolved)} of ${formatNumber(cases.length)} resolved`,
  ];
}
