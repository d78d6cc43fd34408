/** What people call the failures that systems name otherwise. */
const known: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'connection refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'its host name is not known'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no way leads to its host'],
  [/ECONNRESET|EPIPE|socket hang up|other side closed/i, 'the connection was closed'],
  [/no answer|time-?d? ?out|timeout|not answered/i, 'no answer in time'],
];
/** Which operation was called where. People look for what the platform said. */
const CALL = /\w+ \((?:GET|POST) \S+\) at \S+ failed(?: after \d+ attempts)?: /;
/** The code at the end of a message. */
const CODE = / \[[a-z_]+\.[a-z_]+\]$/;
const MOST_LETTERS = 160;

/** Returns the reason of a failure in a few words. The whole message stays with the dependency or run. */
export function briefReason(reason: string): string {
  const name = known.find(([said]) => said.test(reason))?.[1];
  if (name !== undefined) return name;
  const line = (reason.split('\n', 1)[0] ?? '').replace(CALL, '').replace(CODE, '');
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1).trimEnd()}…`;
}
