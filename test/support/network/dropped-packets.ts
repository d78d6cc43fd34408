import { onTestFinished } from 'vitest';
import { runAsRoot } from '../run-as-root.ts';
import { ensureProgram, iptables } from '../servers/programs.ts';

/**
 * Drops all packets between two local ports until the test ends, as if the machine of one side were gone. The
 * test needs the right to change the rules of the kernel: root, or sudo without a password. It fails without.
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
    onTestFinished(async () => runAsRoot(command, '-w', '10', '-D', ...rule));
    await runAsRoot(command, '-w', '10', '-I', ...rule);
  }
}
