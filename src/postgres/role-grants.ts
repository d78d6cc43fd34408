import type { Database } from './connect.ts';
import { quoteName, quoteTable } from './names.ts';
import type { RoleFacts } from './role-facts.ts';
import { changeSchema, runStatements } from './schema-change.ts';
import type { Schemas } from './schemas.ts';

/** What a role is for: it reads the data and the views, or it does the work without owning the tables. */
export type RolePurpose = 'reader' | 'writer';

/** Statements that give a role its rights. Each of them may run again. */
export interface RoleGrants {
  /** Statements about the database and about everybody, which its owner or an administrator runs. */
  readonly ofDatabase: readonly string[];
  /** Statements about schemas, tables, views and functions, which their owner runs. */
  readonly ofSchemas: readonly string[];
}

interface GrantQuestion {
  readonly role: string;
  readonly database: string;
  readonly schemas: Schemas;
  readonly facts: RoleFacts;
  /** Leaves alone what everybody may do in the database. */
  readonly keepsPublic?: boolean;
}

/** Lists the schemas that are about a purpose, whether they exist or not. */
export function schemasOf(purpose: RolePurpose, { bi, data, ledger }: Schemas): string[] {
  return purpose === 'reader' ? [bi, data] : [bi, data, ledger];
}

/** Makes the statements for a purpose. */
export function planGrants(purpose: RolePurpose, question: GrantQuestion): RoleGrants {
  return purpose === 'reader' ? planReader(question) : planWriter(question);
}

/** A reader may select from everything in the schemas of views and of data, also from what is made later. */
function planReader({ role, database, schemas, facts, keepsPublic = false }: GrantQuestion): RoleGrants {
  const to = `to ${quoteName(role)}`;
  const later = forLater(facts.owners);
  const all = listed(facts.schemas);
  const bi = listed(facts.schemas.filter((name) => name === schemas.bi));
  return {
    ofDatabase: [
      ...(keepsPublic ? [] : closeDatabase(database, facts)),
      ...(facts.mayConnect ? [] : [`grant connect on database ${quoteName(database)} ${to}`]),
    ],
    ofSchemas: [
      ...all.flatMap((names) => [
        `grant usage on schema ${names} ${to}`,
        `${later} in schema ${names} grant select on tables ${to}`,
        `grant select on all tables in schema ${names} ${to}`,
      ]),
      ...bi.flatMap((name) => [
        `${later} in schema ${name} grant execute on functions ${to}`,
        `grant execute on all functions in schema ${name} ${to}`,
      ]),
    ],
  };
}

/** Takes from everybody the rights to make tables that a reader could fill the disk with. */
function closeDatabase(database: string, facts: RoleFacts): string[] {
  const name = quoteName(database);
  const users = [...new Set([...facts.owners, ...facts.writers])].map(quoteName).join(', ');
  return [
    ...(facts.everybodyUsesTemporary
      ? [
          ...(users === '' ? [] : [`grant temporary on database ${name} to ${users}`]),
          `revoke temporary on database ${name} from public`,
        ]
      : []),
    ...(facts.everybodyCreates ? ['revoke create on schema public from public'] : []),
  ];
}

/** A writer may change all rows, and no table. Partitions are made by a function of the owner. */
function planWriter({ role, database, schemas, facts }: GrantQuestion): RoleGrants {
  const to = `to ${quoteName(role)}`;
  const later = forLater(facts.owners);
  const written = listed(facts.schemas.filter((name) => name !== schemas.bi));
  const bi = listed(facts.schemas.filter((name) => name === schemas.bi));
  const lacks = [
    ...(facts.mayConnect ? [] : ['connect']),
    ...(facts.mayUseTemporary ? [] : ['temporary']),
  ].join(', ');
  const grantTables = (names: string, rights: string) => [
    `grant usage on schema ${names} ${to}`,
    `${later} in schema ${names} grant ${rights} on tables ${to}`,
    `grant ${rights} on all tables in schema ${names} ${to}`,
    `${later} in schema ${names} grant execute on functions ${to}`,
    `grant execute on all functions in schema ${names} ${to}`,
  ];
  return {
    ofDatabase: lacks === '' ? [] : [`grant ${lacks} on database ${quoteName(database)} ${to}`],
    ofSchemas: [
      ...written.flatMap((names) => grantTables(names, 'select, insert, update, delete')),
      ...bi.flatMap((name) => grantTables(name, 'select')),
    ],
  };
}

/** Returns the names as one list of SQL. Returns no list if there are no names. */
function listed(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [names.map(quoteName).join(', ')];
}

/** Begins a statement about what the owners make later. */
function forLater(owners: readonly string[]): string {
  return `alter default privileges for role ${owners.map(quoteName).join(', ')}`;
}

/** Runs the statements in one transaction, while nobody makes tables. */
export function runGrants(db: Database, statements: readonly string[]): Promise<void> {
  return changeSchema(db, 'granting rights', (tx) => runStatements(tx, statements));
}

/** Returns the quoted name of a table of the ledger to which every writer may write. */
export function tableOfWriters({ ledger }: Schemas): string {
  return quoteTable(ledger, 'migrations');
}
