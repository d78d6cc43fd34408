import { alarms } from './alarms.ts';
import type { Stream } from './define.ts';
import { networkNodes } from './network-nodes.ts';
import { networks } from './networks.ts';
import { objectDetails } from './object-details.ts';
import { objectProperties } from './object-properties.ts';
import { objects } from './objects.ts';
import { orgNodeDetails } from './org-node-details.ts';
import { orgNodePersons } from './org-node-persons.ts';
import { orgNodes } from './org-nodes.ts';
import { orgPersons } from './org-persons.ts';
import { orgTreeDetails } from './org-tree-details.ts';
import { orgTrees } from './org-trees.ts';
import { personDetails } from './person-details.ts';
import { persons } from './persons.ts';
import { userDetails } from './user-details.ts';
import { users } from './users.ts';

/**
 * All streams of the directory. Parents come before their children. Organization nodes come before the
 * streams that name them by a path. Each stream of details follows its base.
 */
export const streams: readonly Stream[] = [
  orgTrees,
  orgTreeDetails,
  orgNodes,
  orgNodeDetails,
  persons,
  personDetails,
  users,
  userDetails,
  orgPersons,
  orgNodePersons,
  objects,
  objectDetails,
  objectProperties,
  networks,
  networkNodes,
];

/** The streams in the data dictionary: the directory, and the alarms, which polls and history fill. */
export const documented: readonly Stream[] = [...streams, alarms];
