import { describe, expect, it } from 'vitest';
import { showControls, showOnOneLine } from '../src/shown-text.ts';

describe('a text from elsewhere', () => {
  it.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['a bell, a return and a delete', '\u0007\r\u007f', '\\u0007\\u000d\\u007f'],
    ['an escape sequence in one byte of C1', 'a\u009b31mb', 'a\\u009b31mb'],
    ['a change of direction', 'user\u202egnp.exe\u2066', 'user\\u202egnp.exe\\u2066'],
    ['characters without a width', 'pay\u200bpal\u2060\ufeff\u00ad', 'pay\\u200bpal\\u2060\\ufeff\\u00ad'],
    ['a joiner within a Latin or Chinese word', 'pu\u200dmp 泵\u200c1', 'pu\\u200dmp 泵\\u200c1'],
    ['a hidden tag', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half of a pair', 'a\ud800', 'a\\ud800'],
  ])('shows %s', (_, text, shown) => expect(showControls(text)).toBe(shown));

  it.each([
    ['line feeds and tabs', 'a\n\tb'],
    ['any script', '泵 насос مضخة पंप é'],
    [
      'joiners of emoji and of words that need them',
      '👩\u200d🔧 👩🏽\u200d🔧 🏳\ufe0f\u200d🌈 می\u200cخواهم क्\u200dष',
    ],
  ])('keeps %s', (_, text) => expect(showControls(text)).toBe(text));

  it('shows line feeds and tabs too where it has one line', () => {
    expect(showOnOneLine('a\nplantsync: done\t\u001b')).toBe('a\\u000aplantsync: done\\u0009\\u001b');
  });

  it('stays the same JSON', () => {
    const value = { 'k\u009b': 'a\u001b\u007f\u202e\u{e0041}"\\\n' };
    const text = showControls(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toMatch(/^[ -~\n]*$/);
  });
});
