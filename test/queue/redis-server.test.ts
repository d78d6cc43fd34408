import { describe, expect, it } from 'vitest';
import { bareReply, checkRedisServer, remedyOf } from '../../src/queue/redis-server.ts';

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

describe('remedyOf', () => {
  it('tells what to do about a refusal, and whether waiting may cure it', () => {
    const oom =
      "Failed to add repeatable job for next iteration: OOM command not allowed when used memory > 'maxmemory'. script: 4da2, on @user_script:311.";
    expect(bareReply(oom)).toBe("OOM command not allowed when used memory > 'maxmemory'");
    expect(remedyOf(bareReply(oom))).toMatchObject({
      action: 'retry',
      remedy: expect.stringContaining('maxmemory'),
    });
    expect(remedyOf("READONLY You can't write against a read only replica.")).toMatchObject({
      action: 'retry',
      remedy: expect.stringContaining('replica'),
    });
    expect(remedyOf('WRONGPASS invalid username-password pair')).toMatchObject({ action: 'stop' });
    expect(remedyOf("NOPERM User x has no permissions to run the 'info' command")).toMatchObject({
      action: 'stop',
      remedy: expect.stringContaining('the login is right'),
    });
    expect(remedyOf('connect ECONNREFUSED 127.0.0.1:6379')).toBeUndefined();
  });
});
