import { describe, expect, it } from 'vitest';
import { findMarkers } from './markers.ts';

const marker = 'SECRET+canary/01=';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('findMarkers', () => {
  it.each([
    ['as it is', `?secret=${marker}&x`],
    ['URL-encoded', `?secret=${encodeURIComponent(marker)}&x`],
    ['in hexadecimal digits', `\\x00${Buffer.from(marker).toString('hex')}00`],
    ['in base64', base64(marker)],
    ['in base64 after one character', base64(`a${marker}b`)],
    ['in base64 after two', base64(`ab${marker}`)],
    ['in base64 after a user name', `Basic ${base64(`user1:${marker}`)}`],
  ])('finds a secret %s', (_, text) => {
    expect(findMarkers(text, ['other', marker])).toEqual([marker]);
  });

  it('finds nothing where there is nothing', () => {
    expect(findMarkers(`SECRET canary 01 ${base64('SECRET canary 01')}`, [marker])).toEqual([]);
  });
});
