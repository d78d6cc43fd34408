import { randomBytes } from 'node:crypto';
import { escapeLiteral } from 'pg';
import { onTestFinished } from 'vitest';
import type { PlantDatabases } from './plant-databases.ts';

/**
 * Makes a role with the rights that plantsync needs in the test's database, which must be empty. Resolves to
 * its name. The role is gone when the test ends.
 */
export async function makeRole({ db }: PlantDatabases, password: string): Promise<string> {
  const role = `role_${randomBytes(6).toString('hex')}`;
  await db.query(`create role ${role} login password ${escapeLiteral(password)}`);
  await db.query(`grant create, temporary on database ${db.database} to ${role}`);
  onTestFinished(async () => {
    await db.query(`drop owned by ${role}`);
    await db.query(`drop role ${role}`);
  });
  return role;
}
