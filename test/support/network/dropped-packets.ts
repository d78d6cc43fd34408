import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { ensureProgram, iptables } from '../servers/programs.ts';

const run = promisify(execFile);

/**
 * Drops all packets between two local ports until the test ends, as if the machine of one side were gone. The
 * test needs the right to change the rules of the kernel: root, or the capability NET_ADMIN. It fails
 * without.
 */
export async function dropPackets(ports: {
  readonly client: number;
  readonly server: number;
}): Promise<void> {
  const command = await ensureProgram(iptables);
  const rules = [
    ['--sport', ports.client, '--dport', ports.server],
    ['--sport', ports.server, '--dport', ports.client],
  ].map((match) => ['INPUT', '-i', 'lo', '-p', 'tcp', ...match.map(String), '-j', 'DROP']);
  for (const rule of rules) {
    onTestFinished(async () => void (await run(command, ['-w', '10', '-D', ...rule])));
    await run(command, ['-w', '10', '-I', ...rule]);
  }
}
