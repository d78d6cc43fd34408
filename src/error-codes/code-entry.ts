/** What the list of error codes says of one code. Both texts are sentences in Markdown. */
export interface CodeEntry {
  readonly meaning: string;
  /** What to do. */
  readonly remedy: string;
}
