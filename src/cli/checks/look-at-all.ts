import { messageOf, PlantsyncError, PlatformError, StoreError } from '../../errors.ts';
import type { Check, CheckResult } from './check.ts';
import type { CheckScreen } from './check-screen.ts';

/** Does all checks, one after the other, and shows each of them. */
export async function lookAtAll(
  checks: readonly Check[],
  { signal, screen }: { signal: AbortSignal; screen: CheckScreen },
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let noToken = false;
  for (const check of checks) {
    signal.throwIfAborted();
    const missing: string | undefined =
      noToken && check.needsToken ? 'no token' : findMissing(results, check.needs);
    const end = screen.begin(check.what);
    try {
      const { error, ...result }: Looked =
        missing === undefined ? await lookOnce(check) : skip(check, missing);
      noToken ||= error instanceof PlatformError && meansNoToken(error);
      results.push(result);
      end(result);
    } finally {
      end();
    }
  }
  return results;
}

type Looked = CheckResult & { readonly error?: PlantsyncError };

function skip({ what }: Check, missing: string): Looked {
  return { what, ok: false, skipped: true, detail: missing };
}

async function lookOnce({ what, remedy, look }: Check): Promise<Looked> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    // Any other error is a fault of the program.
    if (!(error instanceof PlantsyncError)) throw error;
    const unsaid = remedy !== undefined && !saysWhatToDo(error);
    const detail = messageOf(error).replace(/\n\s*-?\s*/g, ' ');
    return { what, ok: false, code: error.code, detail, ...(unsaid && { remedy }), error };
  }
}

/** Finds the failed check that this one needs: the same cause is reported once. */
function findMissing(results: readonly CheckResult[], needs: string | undefined): string | undefined {
  const failed = results.some(({ what, ok }) => what === needs && !ok);
  return failed ? `needs ${needs}` : undefined;
}

function meansNoToken({ unreachable, operation }: PlatformError): boolean {
  return unreachable || operation === 'getClientAccessToken';
}

/** Tells whether an error names its remedy. Errors of stores, logins, addresses and connections do. */
function saysWhatToDo(error: PlantsyncError): boolean {
  if (!(error instanceof PlatformError)) return error instanceof StoreError;
  return meansNoToken(error) || error.kind === 'auth' || error.kind === 'too_large' || error.status === 404;
}
