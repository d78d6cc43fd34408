import { Temporal } from 'temporal-polyfill';

/**
 * Common texts that name no time zone, or several, with the zones that are mostly meant. Libraries that
 * accept such texts do not agree about their meaning.
 */
const meant: Readonly<Record<string, string>> = {
  CST: 'Asia/Shanghai (China) or America/Chicago',
  BEIJING: 'Asia/Shanghai',
  CHINA: 'Asia/Shanghai',
  'ASIA/BEIJING': 'Asia/Shanghai',
  CTT: 'Asia/Shanghai',
  HKT: 'Asia/Hong_Kong',
  SGT: 'Asia/Singapore',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  ICT: 'Asia/Bangkok',
  VST: 'Asia/Ho_Chi_Minh',
  WIB: 'Asia/Jakarta',
  IST: 'Asia/Kolkata (India), Asia/Jerusalem or Europe/Dublin',
  PKT: 'Asia/Karachi',
  GST: 'Asia/Dubai',
  MSK: 'Europe/Moscow',
  BST: 'Europe/London or Asia/Dhaka',
  ECT: 'Europe/Paris',
  CEST: 'Europe/Berlin',
  EEST: 'Europe/Helsinki',
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AEST: 'Australia/Sydney',
  AST: 'America/Halifax or Asia/Riyadh',
  EDT: 'America/New_York',
  CDT: 'America/Chicago',
  MDT: 'America/Denver',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  BET: 'America/Sao_Paulo',
  CAT: 'Africa/Harare',
  EAT: 'Africa/Nairobi',
};
/** Matches an offset from UTC: `+08:00`, `UTC+8`, `GMT-05:30`. */
const OFFSET = /^(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i;

/**
 * Returns true for the name of a time zone of the IANA database. Only this function judges names of zones. It
 * takes a name that both `Temporal` and `Intl` take, so that no zone passes here and fails later.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Proposes the zone that a text probably means. Returns undefined if the text gives no hint. */
export function proposeZone(text: string): string | undefined {
  const known = meant[text.trim().toUpperCase()];
  if (known !== undefined) return known;
  const [, sign, hours, minutes = '00'] = OFFSET.exec(text.trim()) ?? [];
  if (sign === undefined) return isTimeZone(text.trim()) ? text.trim() : undefined;
  // The names of fixed offsets have the opposite sign: `Etc/GMT-8` is UTC+8.
  const fixed = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  const place = sign === '+' && Number(hours) === 8 ? 'Asia/Shanghai or ' : '';
  return minutes === '00' && isTimeZone(fixed) ? `${place}${fixed} (its sign is reversed)` : undefined;
}

/** Returns the zone in which days and hours of the plant begin: that of the platform, else UTC. */
export function zoneOfPlant({ timezone }: { readonly timezone?: string | undefined }): string {
  return timezone ?? 'UTC';
}
