import { ExitCode, StoreError, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Database } from '../../postgres/connect.ts';
import { quoteName } from '../../postgres/names.ts';
import { listRoles, listSurplusRights, type RoleFacts, readRoleFacts } from '../../postgres/role-facts.ts';
import {
  planGrants,
  type RoleGrants,
  type RolePurpose,
  runGrants,
  schemasOf,
  tableOfWriters,
} from '../../postgres/role-grants.ts';
import { hasSchema } from '../../postgres/schema-change.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { showOnOneLine } from '../../shown-text.ts';
import { type CommonOptions, type Io, print, printData } from '../io.ts';
import { ensureViews } from '../open/open-views.ts';
import { openSessionDatabase, withSession } from '../open/session.ts';

export interface GrantsOptions extends CommonOptions {
  readonly reader?: string;
  readonly writer?: string;
  readonly apply: boolean;
  readonly keepPublic: boolean;
}

/** A role, what it is for, and what it takes to let it do that. */
interface Grant {
  readonly role: string;
  readonly purpose: RolePurpose;
  readonly facts: RoleFacts;
  readonly statements: RoleGrants;
}

/** What became of the statements of a role. */
interface Outcome extends Grant {
  readonly applied: boolean;
  /** Statements that the connected user may not run. */
  readonly left: readonly string[];
  /** What a reader may do besides reading. */
  readonly surplus: readonly string[];
}

/** What the command works on. */
interface Place {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly address: string;
}

/**
 * Runs `plantsync grants`: prints the statements that let a role read the data, or write it without owning
 * the tables. With `--apply` it runs them. Returns exit code 3 if statements are left to an administrator, or
 * if a reader may do more than read.
 */
export async function grants(io: Io, options: GrantsOptions): Promise<number> {
  const asked = (['writer', 'reader'] as const).flatMap((purpose) => {
    const role = options[purpose];
    return role === undefined ? [] : [{ purpose, role }];
  });
  if (asked.length === 0)
    throw new UsageError(
      'usage.missing_argument',
      '--reader NAME or --writer NAME is missing: who gets rights?',
    );
  if (options.reader !== undefined && options.reader === options.writer)
    throw new UsageError(
      'usage.conflicting_options',
      `--reader and --writer name the same role ${options.reader}: a reader may not write`,
    );
  return withSession(io, options, async (session) => {
    const { db, schemas, address } = await openSessionDatabase(io, session);
    const place = { db, schemas, address };
    // A schema that is not there could not be granted.
    if (!(await hasSchema(db, schemas.bi)))
      await ensureViews(session.config, { db, schemas, kinds: session.kinds });
    const outcomes: Outcome[] = [];
    // The writer comes first, since a reader's statements look at who writes.
    for (const { purpose, role } of asked) {
      const grant = await planRole(place, { purpose, role, keepsPublic: options.keepPublic });
      outcomes.push(
        options.apply ? await apply(place, grant) : { ...grant, applied: false, left: [], surplus: [] },
      );
    }
    await report(io, options, { place, outcomes });
    return outcomes.some(({ left, surplus }) => left.length + surplus.length > 0)
      ? ExitCode.partial
      : ExitCode.done;
  });
}

async function planRole(
  { db, schemas }: Place,
  { purpose, role, keepsPublic }: { purpose: RolePurpose; role: string; keepsPublic: boolean },
): Promise<Grant> {
  const question = { schemas: schemasOf(purpose, schemas), ledgerTable: tableOfWriters(schemas) };
  const facts = await readRoleFacts(db, role, question);
  const option = `--${purpose} ${role}`;
  if (!facts.exists) throw await describeMissing(db, { option, role });
  if (facts.isSuperuser || facts.isOwner)
    throw new UsageError(
      'usage.wrong_value',
      `${option}: this role ${facts.isSuperuser ? 'is a superuser' : 'owns the tables'} and may do everything; name another role`,
    );
  const statements = planGrants(purpose, { role, database: db.database, schemas, facts, keepsPublic });
  return { role, purpose, facts, statements };
}

async function describeMissing(
  db: Database,
  { option, role }: { option: string; role: string },
): Promise<UsageError> {
  const guess = nearest(role, await listRoles(db));
  const name = quoteName(role);
  return new UsageError(
    'usage.unknown_role',
    `${option}: PostgreSQL at ${db.host}:${db.port} has no such role${guess === undefined ? '' : `; did you mean ${guess}?`} ` +
      `To make it, an administrator runs in psql: create role ${name} login; then: \\password ${name}`,
  );
}

/** Runs the statements of a role that the connected user may run. */
async function apply({ db, schemas }: Place, grant: Grant): Promise<Outcome> {
  const { facts, role, purpose } = grant;
  if (!facts.mayActAsOwners)
    throw new StoreError(
      'postgres.no_rights',
      `PostgreSQL at ${db.host}:${db.port}: user ${db.user} may not grant rights on what belongs to ${facts.owners.join(', ')}; ` +
        'connect as the owner, or let an administrator run what the command prints without --apply',
      { action: 'stop' },
    );
  const { ofDatabase, ofSchemas } = grant.statements;
  const isAllowed = (statement: string) =>
    / on schema public /.test(statement) ? facts.mayRevokePublic : facts.mayGrantDatabase;
  const left = ofDatabase.filter((statement) => !isAllowed(statement));
  await runGrants(db, [...ofDatabase.filter(isAllowed), ...ofSchemas]);
  const surplus =
    purpose === 'reader'
      ? await listSurplusRights(db, role, { schemas: facts.schemas, ledger: schemas.ledger })
      : [];
  return { ...grant, applied: true, left, surplus };
}

async function report(
  io: Io,
  options: GrantsOptions,
  { place, outcomes }: { place: Place; outcomes: readonly Outcome[] },
): Promise<void> {
  if (options.apply || options.json)
    print(io, options, {
      json: {
        database: place.address,
        grants: outcomes.map(({ role, purpose, facts, statements, applied, left, surplus }) => ({
          ...{ role, purpose, schemas: facts.schemas, owners: facts.owners },
          statements: [...statements.ofDatabase, ...statements.ofSchemas],
          ...{ applied, left, surplus },
        })),
      },
      lines: () => outcomes.flatMap(describe),
    });
  else await printData(io, script(place, outcomes));
}

function describe({ role, purpose, facts, left, surplus }: Outcome): string[] {
  const does = purpose === 'reader' ? 'may read' : 'may write to';
  return [
    `${role} ${does} ${facts.schemas.join(', ')}`,
    ...surplus.map((what) => `more than a reader needs: ${role} ${what}`),
    ...(left.length > 0
      ? [`left for the owner of the database, or an administrator: ${left.join('; ')};`]
      : []),
  ];
}

/** Yields the statements as `psql` takes them. */
async function* script({ address }: Place, outcomes: readonly Outcome[]): AsyncGenerator<string> {
  for (const { purpose, statements, facts } of outcomes) {
    yield comment(`A ${purpose} of ${facts.schemas.join(', ')} in ${address}.`);
    if (statements.ofDatabase.length > 0)
      yield comment('The owner of the database, or an administrator, runs:') +
        asScript(statements.ofDatabase);
    yield comment(`The owner of the tables (${facts.owners.join(', ')}), or an administrator, runs:`) +
      asScript(statements.ofSchemas);
  }
}

/** Returns a comment. No name in the text can end the comment. */
function comment(text: string): string {
  return `-- ${showOnOneLine(text)}\n`;
}

function asScript(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('');
}
