import { describe, expect, it } from 'vitest';
import { networkNodes } from '../../src/streams/network-nodes.ts';
import { listNetworkNodes, selectTemplates } from '../../src/streams/network-tree.ts';
import { readRecord } from './read-record.ts';

const rowsOf = (reply: unknown) =>
  [...listNetworkNodes(reply)].map((record) => readRecord(networkNodes, record, { name: 'factory' }).rows);

describe('nodes of a network', () => {
  it('are listed from the top down with their places', () => {
    const rows = rowsOf({
      children: [
        { name: 'line/1', children: [{ name: 'pump~1', templateName: 'Pump' }, { name: 7 }], more: 1 },
        { name: 'line2', showName: 'Line', children: null },
      ],
    });
    expect(rows.map(({ network_nodes: nodes }) => nodes?.[0])).toEqual([
      { network: 'factory', path: 'line~11', name: 'line/1', depth: 1, position: 1, extra: { more: 1 } },
      {
        ...{ network: 'factory', path: 'line~11/pump~01', name: 'pump~1', parent: 'line/1' },
        ...{ parent_path: 'line~11', depth: 2, position: 1, template_name: 'Pump' },
      },
      {
        ...{ network: 'factory', path: 'line~11/7', name: '7', parent: 'line/1' },
        ...{ parent_path: 'line~11', depth: 2, position: 2 },
      },
      { network: 'factory', path: 'line2', name: 'line2', show_name: 'Line', depth: 1, position: 2 },
    ]);
  });

  it('show properties with bare defaults', () => {
    const properties = [{ name: 'a', defaultValue: { value: 'x' } }, { name: 'b', defaultValue: {} }, 'c'];
    const [rows] = rowsOf({ children: [{ name: 'pump1', properties }] });
    const owner = { network: 'factory', path: 'pump1' };
    expect(rows?.network_node_properties).toEqual([
      { ...owner, property: 'a', default_value: 'x' },
      { ...owner, property: 'b' },
      { ...owner, property: 'c' },
    ]);
  });

  it('of some templates keep their places, with those above them', () => {
    const nodes = [
      ...listNetworkNodes({
        children: [
          {
            name: 'line1',
            templateName: 'Line',
            children: [{ name: 'pump1', templateName: 'Pump' }, { name: 'fan' }],
          },
          { name: 'line2', templateName: 'Line', children: [{ name: 'fan', templateName: 'Fan' }] },
          'pump2',
        ],
      }),
    ];
    const pathsOf = (...templates: string[]) =>
      selectTemplates(nodes, templates).map((node) => (node as { '#path'?: unknown })['#path']);
    expect(pathsOf('Pump')).toEqual(['line1', 'line1/pump1', undefined]);
    expect(pathsOf('Fan', 'Line')).toEqual(['line1', 'line2', 'line2/fan', undefined]);
    expect(pathsOf('none')).toEqual([undefined]);
  });

  it('are none in an empty network', () => {
    expect([...listNetworkNodes({ children: [] })]).toEqual([]);
  });

  it.each([[{}], [{ children: null }], [null], [[]], ['children']])('are not read from %j', (reply) => {
    expect(() => listNetworkNodes(reply)).toThrow(TypeError);
  });

  it('are refused one by one where a name or an object is missing, with all that is below', () => {
    const [nameless, below, bare] = listNetworkNodes({
      children: [{ children: [{ name: 'pump1' }] }, 'pump2'],
    });
    for (const record of [nameless, below, bare])
      expect(() => readRecord(networkNodes, record, { name: 'factory' })).toThrow(
        /no usable path|not an object/,
      );
  });

  it('may be nested deeper than the stack of calls', () => {
    let node: object = { name: 'n' };
    for (let depth = 1; depth < 20_000; depth += 1) node = { name: 'n', children: [node] };
    expect([...listNetworkNodes({ children: [node] })]).toHaveLength(20_000);
  });
});
