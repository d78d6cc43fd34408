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
 * All snapshot streams: parents before their children, organization nodes before what names them by a path, each details
 * stream right after its base.
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

/** What the data dictionary describes: the snapshot streams, and what is filled by stories of its own. */
export const documented: readonly Stream[] = [...streams, alarms];
