/** Takes secrets out of a text, as they are and as they stand in an address. */
export function redact(text: string, secrets: readonly string[]): string {
  const spellings = new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]));
  spellings.delete('');
  // The longest first: one may be the beginning of another.
  const ordered = [...spellings].sort((a, b) => b.length - a.length);
  return ordered.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
}
