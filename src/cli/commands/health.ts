import type { Config } from '../../config/config-schema.ts';
import { messageOf, PlantsyncError, UsageError } from '../../errors.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { loadCommandConfig } from '../open/load-command-config.ts';

export interface HealthOptions extends CommonOptions {
  /** Asks whether everything that the service needs is available, and not only whether the service lives. */
  readonly ready?: boolean;
}

const LIMIT_MS = 5_000;

/**
 * Runs `plantsync health`: asks the service of the same configuration on this machine. Returns 0 if the
 * service answers that all is well, else 1. The health check of a container uses it, since a container has no
 * other program for that.
 */
export async function health(io: Io, options: HealthOptions): Promise<number> {
  const { config } = await loadCommandConfig(io, options);
  const settings = config.console;
  const url = `${addressOf(settings)}${options.ready ? '/readyz' : '/healthz'}`;
  const { ok, answer } = await ask(url);
  print(io, options, {
    json: answer,
    lines: () => [ok ? `${url}: well` : `${url}: ${JSON.stringify(answer)}`],
  });
  return ok ? 0 : 1;
}

/**
 * Returns the address of the console. For a service that listens to all addresses it is one of this machine.
 */
function addressOf({ port, host }: Config['console']): string {
  if (!port)
    throw new UsageError(
      'usage.needs_console',
      'console.port is not set to a port: the service then answers to nobody',
    );
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function ask(url: string): Promise<{ ok: boolean; answer: unknown }> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    return { ok: reply.ok, answer: await reply.json() };
  } catch (error) {
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new PlantsyncError(
      'console.no_answer',
      `${url} does not answer (${messageOf(reason)}): is the service running?`,
    );
  }
}
