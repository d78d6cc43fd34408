import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { cleanKey, replyOf } from './truth-entries.ts';
import { type ExpectedRow, isAskable, pathOf, placedEntries, TruthReader } from './truth-reader.ts';

export function networks(truth: Truth): ExpectedRow[] {
  return truth.records('listNetworks').map((network) => {
    const reader = new TruthReader(network);
    return {
      name: reader.text('name'),
      show_name: reader.text('showName'),
      description: reader.text('description'),
      extra: reader.rest(),
    };
  });
}

interface Place {
  readonly network: string;
  /** The names from the top down to the node. */
  readonly names: readonly string[];
  readonly node: PlainRecord;
  readonly position: number;
}

/**
 * Lists every place in every network whose name can be asked for. The last of several equal places counts.
 */
function allPlaces(truth: Truth): Place[] {
  const networks = [...new Set(truth.records('listNetworks').map(({ name }) => name))];
  return networks
    .filter(isAskable)
    .map(String)
    .flatMap((network) => {
      const places = placesIn(network, replyOf(truth, 'getNetwork', { networkName: network }));
      return [...new Map(places.map((place) => [pathOf(place.names), place])).values()];
    });
}

function placesIn(network: string, { children }: PlainRecord, above: readonly string[] = []): Place[] {
  return placedEntries(children).flatMap(([node, position]) => {
    const names = [...above, String(node.name)];
    return [{ network, names, node, position }, ...placesIn(network, node, names)];
  });
}

export function networkNodes(truth: Truth): ExpectedRow[] {
  return allPlaces(truth).map(({ network, names, node, position }) => {
    const reader = new TruthReader(node, ['children', 'properties']);
    const above = names.slice(0, -1);
    return {
      network,
      path: cleanPath(names),
      name: reader.text('name'),
      parent: above.length === 0 ? null : cleanKey(above.at(-1)),
      parent_path: above.length === 0 ? null : cleanPath(above),
      depth: names.length,
      position,
      show_name: reader.text('showName'),
      description: reader.text('description'),
      template_name: reader.text('templateName'),
      extra: reader.rest(),
    };
  });
}

export function networkNodeProperties(truth: Truth): ExpectedRow[] {
  return allPlaces(truth).flatMap(({ network, names, node }) =>
    placedEntries(node.properties, 'name').map(([property]) => {
      const reader = new TruthReader(property);
      return {
        network,
        path: cleanPath(names),
        property: reader.text('name'),
        default_value: reader.wrapped('defaultValue'),
        extra: reader.rest(),
      };
    }),
  );
}

function cleanPath(names: readonly string[]): string | null {
  return cleanKey(pathOf(names));
}
