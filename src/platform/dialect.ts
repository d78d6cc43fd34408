/**
 * How requests are spelled and replies are read where the specification leaves it open. These are all the
 * options of `platform.dialect`.
 */
export interface DialectOptions {
  /** Where the access token goes. In a header `scheme` is put before the token (empty: the bare token). */
  readonly token: { readonly in: 'header' | 'query'; readonly name: string; readonly scheme: string };
  /** Unit of `expiresIn`; `auto` decides by the token's own `exp`, else by size. */
  readonly expiresIn: 'auto' | 'seconds' | 'milliseconds';
  /** Member of the current-values request that holds the names. */
  readonly currentParam: 'params' | 'names' | 'inputs';
  /** Entries of the history `select`: `"obj.prop"`, `obj.prop` or `("obj.prop")`. */
  readonly select: 'quoted' | 'bare' | 'parenthesised';
  /** Bounds of the history `where` that are not used: left out, or sent as empty text. */
  readonly unusedBounds: 'omit' | 'empty';
  /** Array query parameters: `a=1&a=2`, `a=1,2` or `a[]=1&a[]=2`. */
  readonly arrayQuery: 'repeat' | 'comma' | 'brackets';
  /**
   * `startTime` and `endTime` of the alarm history: milliseconds with offset, UTC seconds with `Z`, epoch
   * milliseconds, or `yyyy-MM-dd HH:mm:ss` in the platform's zone.
   */
  readonly alarmTimes: 'offset' | 'utc' | 'epoch-ms' | 'local';
  /** `groupBy.time` as `300s,0s` or `300s`. */
  readonly groupBy: 'with-offset' | 'period-only';
  /** IANA zone in which every time received is local, whatever offset it carries. */
  readonly zoneOverride?: string | undefined;
}

export const defaultDialect: DialectOptions = {
  token: { in: 'header', name: 'Authorization', scheme: 'Bearer' },
  expiresIn: 'auto',
  currentParam: 'params',
  select: 'quoted',
  unusedBounds: 'omit',
  arrayQuery: 'repeat',
  alarmTimes: 'offset',
  groupBy: 'with-offset',
};
