import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { splitParameters } from '../../../src/cli/commands/call.ts';
import { describeOperation } from '../../../src/platform/describe-operation.ts';
import { type OperationId, operations } from '../../../src/platform/operations.ts';

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
    expect(() => split('getHealth', ['x=1'])).toThrow(/getHealth has no parameter x; it has no parameters/);
  });

  it.each(Object.keys(operations) as OperationId[])(
    'takes every parameter that the contract has for %s',
    (id) => {
      const values = contractParameters(id).map(({ name, schema }) => [name, schema?.const ?? 'x'] as const);
      const { path, query } = split(
        id,
        values.map(([name, value]) => `${name}=${value}`),
      );
      expect({ ...path, ...query }).toEqual(Object.fromEntries(values));
    },
  );

  it('refuses another value than the only one that a parameter takes', () => {
    expect(split('getNetwork', ['networkName=n', 'recursion=recursion']).query).toEqual({
      recursion: 'recursion',
    });
    expect(() => split('getNetwork', ['networkName=n', 'recursion=true'])).toThrow(
      /getNetwork: recursion takes only the value recursion, not true/,
    );
  });
});

interface ContractParameter {
  readonly name: string;
  readonly schema?: { readonly const?: string };
}

/** Reads the parameters from openapi.yaml, without the code under test. */
function contractParameters(id: OperationId): ContractParameter[] {
  const file = new URL('../../../src/platform/openapi.yaml', import.meta.url);
  const contract = parse(readFileSync(file, 'utf8'));
  const { method, path } = operations[id];
  const { parameters = [] } = contract.paths[path][method.toLowerCase()];
  return parameters.map((each: ContractParameter | { $ref: string }) =>
    '$ref' in each ? contract.components.parameters[each.$ref.split('/').at(-1) as string] : each,
  );
}
