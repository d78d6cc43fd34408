/** One difference between the records of a scan and their declaration. */
export interface DriftEntry {
  /** Table of the records: the table of the stream, or of one of its parts. */
  readonly table: string;
  /** The member of the record, or of the entry of a part. A path if the member is inside of another one. */
  readonly member: string;
  readonly kind: 'new' | 'missing' | 'retyped';
  /** Number of records, or of entries, that show the difference. */
  readonly count: number;
  /**
   * One value as received, which may be any JSON value. Null if there is none. Undefined if the scan met no
   * value, since the lists with the difference have not changed.
   */
  readonly sample: unknown;
}
