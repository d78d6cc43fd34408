import { computed } from '@preact/signals';
import { language, zone } from './settings.ts';

const locale = computed(() => (language.value === 'zh' ? 'zh-CN' : 'en-GB'));
const numbers = computed(() => new Intl.NumberFormat(locale.value));
const seconds = computed(
  () =>
    new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone.value,
      dateStyle: 'short',
      timeStyle: 'medium',
    }),
);

export const formatNumber = (value: number): string => numbers.value.format(value);

/** Formats a share so that only a whole one is 100 %. */
export function formatShare(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}

/** Formats an ISO time to the second in the zone that is chosen: `2026-11-29 12:03:20`. */
export function formatTime(iso: string | number): string {
  return seconds.value.format(new Date(iso));
}

/** The same without the date if it is of today. */
export function formatShortTime(iso: string | number, now = Date.now()): string {
  const [day, time = ''] = formatTime(iso).split(' ');
  return formatTime(now).startsWith(day ?? '') ? time : `${day} ${time}`;
}

const units: readonly (readonly [number, string, string])[] = [
  [86_400, 'd', '天'],
  [3_600, 'h', '小时'],
  [60, 'min', '分'],
  [1, 's', '秒'],
];

/** Formats a duration by its two largest units: `4 min 10 s`. */
export function formatDuration(sec: number): string {
  const isZh = language.value === 'zh';
  if (sec < 1) return isZh ? `${Math.round(sec * 1000)} 毫秒` : `${Math.round(sec * 1000)} ms`;
  let rest = Math.round(sec);
  const parts: string[] = [];
  for (const [size, en, zh] of units) {
    const count = Math.floor(rest / size);
    if (count === 0 && parts.length === 0) continue;
    if (count > 0) parts.push(`${formatNumber(count)} ${isZh ? zh : en}`);
    rest -= count * size;
    if (parts.length === 2 || rest === 0) break;
  }
  return parts.join(' ');
}
