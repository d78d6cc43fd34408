import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeText } from '../src/platform/percent.ts';
import { createRedactor, listAddressSecrets, redact } from '../src/redact.ts';

/** All characters with a meaning in a URL, JSON, HTML or a pattern, and some without. */
const secret = `Ab(m4rk3r)!x*'q "/\\+&<>%41=?#[]{}|^$.-~,;:@é漢😀`;

const percent = (text: string, form: (hex: string) => string) =>
  [...Buffer.from(text)].map((byte) => `%${form(byte.toString(16).padStart(2, '0'))}`).join('');
const html = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const spellings: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['as the client sends it', encodeText],
  ['by encodeURIComponent', encodeURIComponent],
  [
    'by encodeURIComponent in lower case',
    (text) => encodeURIComponent(text).replace(/%../g, (s) => s.toLowerCase()),
  ],
  ['by encodeURI, which leaves sub-delimiters', (text) => encodeURI(text)],
  ['with every byte encoded', (text) => percent(text, (hex) => hex)],
  ['with every byte encoded in upper case', (text) => percent(text, (hex) => hex.toUpperCase())],
  ['as a form', (text) => new URLSearchParams({ s: text }).toString().slice(2)],
  ['encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['encoded three times', (text) => encodeText(encodeText(encodeText(text)))],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON within JSON', (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  [
    'in JSON of PHP, which escapes slashes',
    (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  ],
  [
    'in JSON with every unit escaped',
    (text) => text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['in HTML', html],
  [
    'in HTML by names',
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ],
  ['encoded for an address, in JSON', (text) => JSON.stringify(`?secret=${encodeURIComponent(text)}`)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
];

describe('redaction', () => {
  it.each(spellings)('masks a secret %s', (_, write) => {
    for (const text of [secret, 'plain-secret', 'a b+c', '100%', 'S3+canary/01=']) {
      const said = redact(`before ${write(text)} after`, [text]);
      expect(said).toMatch(/^before \S*\*\*\*\S* after$/);
    }
  });

  it.each([300, 4_096, 20_000])('masks a secret of %d characters, such as a key', (length) => {
    const long = `${randomBytes(length)
      .toString('base64')
      .slice(0, length - 1)}é`;
    const redactLong = createRedactor([long]);
    for (const [name, write] of spellings) {
      const said = redactLong(`before ${write(long)} after`);
      expect(said, name).toMatch(/^before (\?secret=|"\?secret=)?\S{0,4}\*\*\*\S{0,4} after$/);
    }
  });

  it.each(['a', 'ab', 'user', 'plantsync'])('masks a password of basic authentication of user %s', (user) => {
    const header = Buffer.from(`${user}:${secret}`).toString('base64');
    const said = redact(`authorization: Basic ${header}`, [secret]);
    // The text that is left is no longer than for the user alone, so it shows nothing of the secret.
    expect(said.length).toBeLessThan('authorization: Basic ***'.length + 2 * user.length + 4);
  });

  it('masks any secret as the client sends it', () => {
    for (let turn = 0; turn < 300; turn += 1) {
      const text = randomBytes(4 + (turn % 40)).toString('latin1');
      expect(redact(`<${encodeText(text)}>`, [text])).toBe('<***>');
      expect(redact(`<${text}>`, [text])).toBe('<***>');
    }
  });

  it('masks a secret that the other side has decoded once too often', () => {
    expect(redact('got abAcd', ['ab%41cd'])).toBe('got ***');
  });

  it('masks the longer of two secrets where one begins with the other', () => {
    expect(redact('x topsecret2 y topsecret z', ['topsecret', 'topsecret2'])).toBe('x *** y *** z');
  });

  it('masks the secrets of each call and no others, however many came before', () => {
    const [many, rounds] = [20, 2];
    for (const k of Array.from({ length: many * rounds }, (_, i) => i % many)) {
      const own = `secret-of-tenant-${k}-`;
      const other = `secret-of-tenant-${(k + 1) % many}-`;
      expect(redact(`${own} ${other}`, ['pass-word', own])).toBe(`*** ${other}`);
    }
  });

  it('leaves everything else as it is', () => {
    const text = 'HTTP 400, code 800001: object "m4rk3r" not found (100% of 3)';
    expect(createRedactor([secret, 'other'])(text)).toBe(text);
    expect(createRedactor([])(text)).toBe(text);
  });

  it('takes time in proportion to the text, whatever that is', () => {
    const mask = createRedactor([secret, '%25%25%25%25%25%25', '\\\\\\\\\\\\\\\\']);
    for (const piece of ['%25', '\\', 'A', '&amp;', '%', 'Ab(m4rk3r)!']) {
      const text = piece.repeat(200_000 / piece.length);
      expect(mask(text).length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['redis://user:p%40ss@host', ['p%40ss', 'p@ss']],
    ['postgres://user@host/db?password=a%20b', ['a b']],
    ['http://user:100%@proxy:3128', ['100%']],
    ['http://host/path@x', []],
    ['no address', []],
  ])('finds the secrets of %s', (address, secrets) => {
    expect([...new Set(listAddressSecrets(address))]).toEqual([...new Set(secrets)]);
  });
});
