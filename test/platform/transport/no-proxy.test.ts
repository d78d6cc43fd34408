import { describe, expect, it } from 'vitest';
import { isWithoutProxy } from '../../../src/platform/transport/no-proxy.ts';

describe('NO_PROXY', () => {
  it.each([
    ['http://10.0.0.7', '10.0.0.0/8', true],
    ['http://11.0.0.7', '10.0.0.0/8', false],
    ['http://10.0.0.7', '10.0.0.*', true],
    ['http://10.0.1.7', '10.0.0.*', false],
    ['http://10.0.0.7:8080', '10.0.0.7:8080', true],
    ['http://10.0.0.7', '10.0.0.7:8080', false],
    ['https://10.0.0.7', '10.0.0.7:443', true],
    ['http://110.0.0.7', '10.0.0.7', false],
    ['http://[fd00::1]', 'fd00::/8', true],
    ['http://[fd00::1]:81', '[fd00::1]:81', true],
    ['http://[fd00::1]', 'fd00:0:0::1', true],
    ['http://[2001::1]', 'fd00::/8', false],
    ['http://a.example.com', 'example.com', true],
    ['http://a.example.com', '.example.com', true],
    ['http://a.example.com', '*.example.com', true],
    ['http://example.com', 'EXAMPLE.COM.', false],
    ['http://badexample.com', 'example.com', false],
    ['http://plant7.local', 'plant*.local', true],
    ['http://plant7.other', 'plant*.local', false],
    ['http://any', '*', true],
    ['http://10.0.0.7', 'a, b 10.0.0.0/8', true],
    ['http://10.0.0.7', '10.0.0.0/33,10.0.0/8,nonsense/8,::/x', false],
    ['http://10.0.0.7', '', false],
  ])('%s with %s: %s', (address, noProxy, expected) => {
    expect(isWithoutProxy(new URL(address), noProxy)).toBe(expected);
  });

  it('takes time in proportion to its length', () => {
    expect(isWithoutProxy(new URL(`http://${'a'.repeat(60)}`), '*a'.repeat(5_000))).toBe(false);
  });
});
