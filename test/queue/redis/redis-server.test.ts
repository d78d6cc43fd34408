import { describe, expect, it } from 'vitest';
import { redisOptions } from '../../../src/queue/redis/redis-options.ts';
import { bareReply, checkRedisServer, remedyOf } from '../../../src/queue/redis/redis-server.ts';
import { namesOf } from '../../../src/queue/redis/redis-trouble.ts';

const info = (version: string, policy: string) =>
  `# Server\r\nredis_version:${version}\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

describe('checkRedisServer', () => {
  it('refuses a server that is too old for the queues', () => {
    expect(() => checkRedisServer(info('4.0.14', 'noeviction'), 'r:6379')).toThrow(
      'Redis at r:6379: version 4.0.14 is too old: 5.0 or newer is needed',
    );
  });

  it('warns of a server that may drop jobs, and names what to set', () => {
    expect(checkRedisServer(info('7.0.15', 'allkeys-lru'), 'r:6379')).toMatchObject({
      version: '7.0.15',
      warning: expect.stringMatching(/allkeys-lru.*set maxmemory-policy to noeviction/),
    });
  });

  it('has nothing to say of one that is as it should be', () => {
    expect(checkRedisServer(info('5.0.0', 'noeviction'), 'r:6379').warning).toBeUndefined();
  });
});

describe('redisOptions', () => {
  const options = (url: string, password?: string) =>
    redisOptions({ url, password, prefix: 'p', concurrency: { live: 1, sync: 1, bulk: 1 } });

  it.each([
    ['redis://user@host', 'pa%41ss', { host: 'host', port: 6379, username: 'user', password: 'pa%41ss' }],
    [
      'redis://us%40er:p%40ss@host:7000/3',
      undefined,
      { host: 'host', port: 7000, username: 'us@er', password: 'p@ss', db: 3 },
    ],
    ['redis://:pass@[::1]', undefined, { host: '::1', password: 'pass' }],
    ['rediss://host', undefined, { host: 'host', tls: {} }],
  ])('takes %s with the password %s apart', (url, password, expected) => {
    expect(options(url, password)).toMatchObject(expected);
  });

  it('has no password where none is given', () => {
    expect(options('redis://user@host')).not.toHaveProperty('password');
    expect(options('redis://host')).not.toHaveProperty('username');
  });
});

const names = namesOf({ url: 'redis://r', prefix: 'p', concurrency: { live: 1, sync: 1, bulk: 1 } });
const remedy = (said: string) => remedyOf(bareReply(said), names);

describe('remedyOf', () => {
  it.each([
    ['NOAUTH Authentication required.', 'redis.wrong_password'],
    ["NOPERM this user has no permissions to run the 'set' command", 'redis.no_rights'],
    ['OOM command not allowed', 'redis.memory_full'],
    ['MISCONF Redis is configured to save RDB snapshots', 'redis.disk_failed'],
    ["READONLY You can't write against a read only replica.", 'redis.read_only'],
    ['LOADING Redis is loading the dataset in memory', 'redis.loading'],
    ['MASTERDOWN Link with MASTER is down', 'redis.master_down'],
    ['CLUSTERDOWN Hash slot not served', 'redis.cluster_down'],
    [
      'Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN The cluster is down',
      'redis.cluster_down',
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'redis.no_replicas'],
    ['MOVED 3999 127.0.0.1:6381', 'redis.wrong_kind'],
    ['ERR This instance has cluster support disabled', 'redis.wrong_kind'],
    ["ERR unknown command 'SENTINEL', with args beginning with: 'MASTER'", 'redis.wrong_kind'],
    ['ERR No such master with that name', 'redis.unknown_master'],
  ])('knows %s as %s', (said, code) => {
    expect(remedy(said)).toMatchObject({ code });
  });

  it('tells what to do about a refusal, and whether waiting may cure it', () => {
    const oom =
      "Failed to add repeatable job for next iteration: OOM command not allowed when used memory > 'maxmemory'. script: 4da2, on @user_script:311.";
    expect(bareReply(oom)).toBe("OOM command not allowed when used memory > 'maxmemory'");
    expect(remedy(oom)).toMatchObject({
      action: 'retry',
      remedy: expect.stringContaining('maxmemory'),
    });
    expect(remedy("READONLY You can't write against a read only replica.")).toMatchObject({
      action: 'retry',
      remedy: expect.stringContaining('replica'),
    });
    const old =
      "ERR Error running script (call to f_1): @user_script:311: -READONLY You can't write against a replica.";
    expect(remedy(old)).toMatchObject({ remedy: expect.stringContaining('after a failover') });
    expect(remedy('WRONGPASS invalid username-password pair')).toMatchObject({ action: 'stop' });
    expect(remedy("NOPERM User x has no permissions to run the 'info' command")).toMatchObject({
      action: 'stop',
      remedy: expect.stringContaining('the login is right'),
    });
    expect(remedy('connect ECONNREFUSED 127.0.0.1:6379')).toBeUndefined();
  });
});
