import { Temporal } from 'temporal-polyfill';

/**
 * Abbreviations and habits that are no names of zones, or that name several, with what is meant most often.
 * Some libraries take some of them, each for what it likes.
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
/** `+08:00`, `UTC+8`, `GMT-05:30`. */
const OFFSET = /^(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i;

/**
 * True for the name of a time zone of the IANA database. This is the only judge of zones in the program: it
 * takes what both the calendar of the language and the library of times take, so that no zone passes here and
 * fails later.
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

/** What was probably meant by a text that is no time zone; undefined if nobody can tell. */
export function proposeZone(text: string): string | undefined {
  const known = meant[text.trim().toUpperCase()];
  if (known !== undefined) return known;
  const [, sign, hours, minutes = '00'] = OFFSET.exec(text.trim()) ?? [];
  if (sign === undefined) return isTimeZone(text.trim()) ? text.trim() : undefined;
  // The names of fixed offsets count the other way round.
  const fixed = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  const place = sign === '+' && Number(hours) === 8 ? 'Asia/Shanghai or ' : '';
  return minutes === '00' && isTimeZone(fixed) ? `${place}${fixed} (its sign is reversed)` : undefined;
}
