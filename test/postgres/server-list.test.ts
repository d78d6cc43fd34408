import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { clientConfig } from '../../src/postgres/client-config.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { readServers } from '../../src/postgres/server-list.ts';

describe('the servers of an address', () => {
  const list = (...places: [string, number][]) => places.map(([host, port]) => ({ host, port }));

  it.each([
    ['postgres://u:p@a:5433,b:5434/d', list(['a', 5433], ['b', 5434])],
    ['postgres://a,b:5433,[::1]:5434/d', list(['a', 5432], ['b', 5433], ['::1', 5434])],
    ['postgres:///d?host=/run/a,/run/b&port=5433', list(['/run/a', 5433], ['/run/b', 5433])],
    ['postgres://u@localhost:5444/d?host=a,b', list(['a', 5444], ['b', 5444])],
    ['postgres://%2Frun%2Fa,b/d', list(['/run/a', 5432], ['b', 5432])],
    ['postgres://u:x,y@a/d', []],
  ])('of %s are those that libpq reads', (url, servers) => {
    expect(readServers(url).servers).toEqual(servers);
  });

  it('have to take writes, unless there is only one', () => {
    const demandOf = (url: string) => readServers(url).demand;
    expect(demandOf('postgres://a,b/d')).toBe('read-write');
    expect(demandOf('postgres://a,b/d?target_session_attrs=primary')).toBe('primary');
    expect(demandOf('postgres://a/d')).toBe('any');
    expect(demandOf('postgres://a/d?target_session_attrs=read-write')).toBe('read-write');
  });

  it('go with the user, the database and the password of the address, and its time-out for each server', async () => {
    const url = 'postgres://u:p@a:5433,b:5434/d?connect_timeout=3&target_session_attrs=read-write';
    expect(clientConfig({ url }).connectionTimeoutMillis).toBe(3_000);
    expect(clientConfig({ url, connectTimeoutMs: 200 }).connectionTimeoutMillis).toBe(200);
    const db = openPostgres({ url, password: 'q,@' }, silentLog);
    expect(db).toMatchObject({ host: 'a', port: 5433, user: 'u', database: 'd' });
    await db.close();
  });
});
