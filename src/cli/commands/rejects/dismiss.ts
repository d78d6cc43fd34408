import { UsageError } from '../../../errors.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openSessionDatabase, withSession } from '../../open/session.ts';
import { parseIds, readCases } from './rejects.ts';

export interface DismissOptions extends CommonOptions {
  readonly note?: string;
}

/**
 * Runs `plantsync rejects dismiss`: closes open cases that nobody will mend, with a note on who and why.
 * Cases that are closed already stay as they are.
 */
export async function dismissCases(io: Io, ids: readonly string[], options: DismissOptions): Promise<number> {
  const numbers = parseIds(ids);
  const note = options.note?.trim();
  if (!note)
    throw new UsageError(
      'usage.missing_argument',
      '--note TEXT is missing: who dismisses the cases, and why? Others will read it.',
    );
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    await readCases(ledger, numbers);
    const dismissed = await ledger.rejects.dismiss(numbers, note);
    const settled = numbers.filter((id) => !dismissed.has(id));
    print(io, options, {
      json: { dismissed: [...dismissed], settled, note },
      lines: () => [
        ...(dismissed.size > 0
          ? [`dismissed: ${[...dismissed].join(', ')}. A case that is met again opens again`]
          : []),
        ...(settled.length > 0 ? [`settled before: ${settled.join(', ')}`] : []),
      ],
    });
    return 0;
  });
}
