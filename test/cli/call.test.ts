import { describe, expect, it } from 'vitest';
import { splitParameters } from '../../src/cli/call.ts';

describe('splitParameters', () => {
  it('puts a parameter into the path where the path names it, else into the query', () => {
    expect(splitParameters('listObjectProperties', ['objName=a=b', 'page=2'])).toEqual({
      path: { objName: 'a=b' },
      query: { page: '2' },
    });
  });

  it('makes a list of a repeated parameter', () => {
    const { query } = splitParameters('listObjects', ['modelLabels=a', 'modelLabels=b', 'modelLabels=c']);
    expect(query).toEqual({ modelLabels: ['a', 'b', 'c'] });
  });

  it('names what is missing or not understood', () => {
    expect(() => splitParameters('getPerson', [])).toThrow(/getPerson .* needs --param name=/);
    expect(() => splitParameters('listPersons', ['page'])).toThrow(/--param page: is not name=value/);
  });
});
