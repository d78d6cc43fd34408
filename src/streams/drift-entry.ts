/** One difference between the records of a scan and their declaration. */
export interface DriftEntry {
  /** Table of the records: that of the stream, or one of its parts. */
  readonly table: string;
  /** The member of the record, or of the entry of a part; a path where it is inside of another. */
  readonly member: string;
  readonly kind: 'new' | 'missing' | 'retyped';
  /** How many records, or entries, show it. */
  readonly count: number;
  /** One value as it came: any JSON value, null where there is none. */
  readonly sample: unknown;
}
