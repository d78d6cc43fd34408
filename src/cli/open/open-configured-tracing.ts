import type { Config } from '../../config/config-schema.ts';
import { parseHeaders } from '../../config/headers.ts';
import { UsageError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { OpenTracing } from '../../open-tracing.ts';
import { readVersion } from '../../package-root.ts';
import { noTracing } from '../../tracing.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const TRACES_PATH = '/v1/traces';

/**
 * Opens tracing if the configuration asks for it. Nothing of OpenTelemetry is loaded otherwise. The usual
 * variables of OpenTelemetry count where the configuration says nothing.
 */
export async function openConfiguredTracing(
  { tracing }: Pick<Config, 'tracing'>,
  { env, log }: { readonly env: NodeJS.ProcessEnv; readonly log: Logger },
): Promise<OpenTracing> {
  if (!tracing.enabled) return { ...noTracing, close: async () => undefined };
  const { openTracing } = await import('../../open-tracing.ts');
  return openTracing({
    url: receiverOf(tracing.endpoint, env),
    headers: tracing.headers ?? headersOf(env),
    sampleShare: tracing.sampleShare,
    version: readVersion(),
    log,
  });
}

function receiverOf(endpoint: string | undefined, env: NodeJS.ProcessEnv): string {
  const whole = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (endpoint === undefined && whole) return checkAddress(whole, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = endpoint ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT);
  const address = new URL(checkAddress(base, 'OTEL_EXPORTER_OTLP_ENDPOINT'));
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith(TRACES_PATH) ? path : `${path}${TRACES_PATH}`;
  return address.href;
}

function checkAddress(address: string, variable: string): string {
  if (URL.canParse(address) && /^https?:/i.test(address)) return address;
  throw new UsageError(
    'config.wrong_value',
    `${variable} is not an address such as ${DEFAULT_ENDPOINT}; correct it, or set tracing.endpoint`,
  );
}

function headersOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const variable = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS;
  if (!variable) return {};
  const headers = parseHeaders(variable);
  if (headers !== undefined) return headers;
  throw new UsageError(
    'config.wrong_value',
    'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as authorization=Bearer%20abc; correct it, or set tracing.headers',
  );
}
