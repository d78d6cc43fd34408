/**
 * Characters that a terminal obeys, or that make one text look like another. These are control characters
 * except tab and line feed, marks of direction, and characters without a width. Joiners belong to emoji and
 * to words of some scripts. Elsewhere they mislead.
 */
const misleading = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]',
    '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e]',
    '[\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]',
    '(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{M}\\p{Script=Arabic}\\p{Script=Syriac}])[\\u200c\\u200d]',
    // Half of a surrogate pair: no terminal can show it.
    '\\p{Surrogate}',
  ].join('|'),
  'gu',
);
const BREAKS = /[\t\n]/g;

/**
 * Returns a text from elsewhere in a form that is safe to show. A character that would steer a terminal or
 * mislead people becomes an escape like `\u001b`. JSON has such characters in texts only, so it keeps its
 * meaning.
 */
export function showControls(text: string): string {
  return text.replace(misleading, escapeUnits);
}

/** Returns a text as `showControls` does, on one line: tabs and line feeds become escapes too. */
export function showOnOneLine(text: string): string {
  return showControls(text).replace(BREAKS, escapeUnits);
}

function escapeUnits(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}
