import { type CommonOptions, type Io, print } from './io.ts';
import { openDatabase } from './open.ts';
import { withSession } from './session.ts';

/** `plantsync migrate`: brings the ledger's tables up to date. Every other command does the same before it begins. */
export async function migrate(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { migration, address } = await openDatabase(session.config, session);
    print(io, options, {
      json: { database: address, ...migration },
      lines: () => [
        ...migration.applied.map((name) => `applied ${name}`),
        `the ledger in ${address} is at version ${migration.version}`,
      ],
    });
    return 0;
  });
}
