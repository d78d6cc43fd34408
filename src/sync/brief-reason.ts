/** Failures that systems name differently, and people alike. */
export type Failure = 'refused' | 'unknown-host' | 'no-way' | 'closed' | 'no-answer';

/** Why something failed, so that it can be said in any language. */
export interface Cause {
  /** The reason in a few English words, or as a server has told it. */
  readonly text: string;
  readonly failure?: Failure | undefined;
  /** A code of docs/errors.md, which another version of plantsync may have made. */
  readonly code?: string | undefined;
}

/** What people call the failures that systems name otherwise. */
const known: readonly (readonly [RegExp, Failure, string])[] = [
  [/ECONNREFUSED/, 'refused', 'connection refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-host', 'its host name is not known'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no-way', 'no way leads to its host'],
  [/ECONNRESET|EPIPE|socket hang up|other side closed/i, 'closed', 'the connection was closed'],
  [/no answer|time-?d? ?out|timeout|not answered/i, 'no-answer', 'no answer in time'],
];
/** Which operation was called where. People look for what the platform said. */
const CALL = /\w+ \((?:GET|POST) \S+\) at \S+ failed(?: after \d+ attempts)?: /;
/** The code at the end of a message. */
const CODE = / \[([a-z_]+\.[a-z_]+)\]$/;
const MOST_LETTERS = 160;

/** Returns the reason of a failure in a few words. The whole message stays with the dependency or run. */
export function briefReason(reason: string): string {
  return causeOf(reason).text;
}

/** Returns why something failed: in a few words, and as far as it is known, in facts. */
export function causeOf(reason: string, code = codeIn(reason)): Cause {
  const name = known.find(([said]) => said.test(reason));
  if (name !== undefined) return { text: name[2], failure: name[1], code };
  const line = (reason.split('\n', 1)[0] ?? '').replace(CALL, '').replace(CODE, '');
  const text = line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1).trimEnd()}…`;
  return { text, code };
}

/** Returns the code at the end of a message. A list of messages ends each line so. */
function codeIn(reason: string): string | undefined {
  return CODE.exec(reason.split('\n', 1)[0] ?? '')?.[1];
}
