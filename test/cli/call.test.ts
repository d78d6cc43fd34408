import { describe, expect, it } from 'vitest';
import { splitParameters } from '../../src/cli/call.ts';
import { describeOperation } from '../../src/platform/describe-operation.ts';
import type { OperationId } from '../../src/platform/operations.ts';

const split = (id: OperationId, parameters: string[]) => splitParameters(describeOperation(id), parameters);

describe('splitParameters', () => {
  it('puts a parameter into the path where the path names it, else into the query', () => {
    expect(split('listObjectProperties', ['objName=a=b', 'page=2'])).toEqual({
      path: { objName: 'a=b' },
      query: { page: '2' },
    });
  });

  it('makes a list of a repeated parameter', () => {
    const { query } = split('listObjects', ['modelLabels=a', 'modelLabels=b', 'modelLabels=c']);
    expect(query).toEqual({ modelLabels: ['a', 'b', 'c'] });
  });

  it('names what is missing or not understood', () => {
    expect(() => split('getPerson', [])).toThrow(/getPerson .* needs --param name=/);
    expect(() => split('listPersons', ['page'])).toThrow(/--param page: is not name=value/);
  });

  it('refuses a parameter that the operation does not have, with the nearest one and all of them', () => {
    expect(() => split('listPersons', ['perpage=2'])).toThrow(
      /no parameter perpage; did you mean per_page\? \(known are .*, page, per_page\)/,
    );
    expect(() => split('getHealth', ['x=1'])).toThrow(/getHealth has no parameter x; it has none/);
  });
});
