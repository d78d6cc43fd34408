import { describe, expect, it } from 'vitest';
import { decodeCurrent } from '../../src/platform/decode-current.ts';
import { MalformedReply } from '../../src/platform/failure.ts';

const names = ['pump1.temp', 'pump1.flow'];
const plain = (name: string, value: unknown) => ({ name, value, status: undefined, time: undefined });

describe('decodeCurrent', () => {
  it('reads the flat map; an object in it is a value', () => {
    const { values } = decodeCurrent({ 'pump1.temp': 21.5, 'pump1.flow': { value: 1 } }, names);
    expect([...values.values()]).toEqual([plain('pump1.temp', 21.5), plain('pump1.flow', { value: 1 })]);
  });

  it('keeps null, which means a property that the platform does not know, apart from an absent name', () => {
    const { values } = decodeCurrent({ 'pump1.temp': null }, names);
    expect(values.get('pump1.temp')).toEqual(plain('pump1.temp', null));
    expect(values.has('pump1.flow')).toBe(false);
  });

  it('reads values with status and time inside data', () => {
    const data = {
      'pump1.temp': { value: 1, status: 192, timeStamp: '2024-05-01T10:00:00Z' },
      'pump1.flow': 7,
    };
    const { values } = decodeCurrent({ code: 200, message: 'ok', data }, names);
    expect([...values.values()]).toEqual([
      { name: 'pump1.temp', value: 1, status: 192, time: '2024-05-01T10:00:00Z' },
      plain('pump1.flow', 7),
    ]);
  });

  it('matches names in another spelling by their ending', () => {
    const { values, unknownNames } = decodeCurrent({ '"pump1.temp"': 1, 'default.pump1.flow': 2 }, names);
    expect([...values.keys()]).toEqual(names);
    expect(unknownNames).toEqual([]);
  });

  it('reports names that it cannot match, and never guesses between two', () => {
    const asked = ['pump1.temp', 'pump2.temp'];
    const { values, unknownNames } = decodeCurrent({ temp: 1, 'pump1.temp': 2, 'x.y': 3 }, asked);
    expect([...values.keys()]).toEqual(['pump1.temp']);
    expect(unknownNames).toEqual(['temp', 'x.y']);
  });

  it('prefers the exact name when two spellings mean the same', () => {
    const { values } = decodeCurrent({ 'a.pump1.temp': 1, 'pump1.temp': 2 }, ['pump1.temp']);
    expect(values.get('pump1.temp')?.value).toBe(2);
  });

  it.each([
    [{ 'pump1.temp': null, 'pump1.flow': 2, message: 'not ready' }],
    [{ code: 500, data: { 'pump1.temp': null, 'pump1.flow': 2 } }],
  ])('does not believe a null next to a complaint: %j', (body) => {
    const { values, unknownNames, complains } = decodeCurrent(body, names);
    expect([...values.keys()]).toEqual(['pump1.flow']);
    expect([unknownNames, complains]).toEqual([[], true]);
  });

  it.each([[[]], ['text'], [{ data: 'none' }]])('refuses %j', (body) => {
    expect(() => decodeCurrent(body, names)).toThrow(MalformedReply);
  });
});
