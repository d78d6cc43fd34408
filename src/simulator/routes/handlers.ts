import type { ListOperationId, OperationId } from '../../platform/operations.ts';
import { currentAlarms } from '../alarm-records.ts';
import { listFor } from '../list-sources.ts';
import { pageOf } from '../paging.ts';
import { mapList } from '../plant/collection.ts';
import { answerCurrent } from '../runtime/answer-current.ts';
import { answerHistory } from '../runtime/answer-history.ts';
import { withTimes } from '../time-format.ts';
import { viewList } from '../views.ts';
import type { Handler } from '../world.ts';
import { getNetwork, getObject, getOrg, getOrgNode, getPerson, getUser } from './master-data.ts';
import {
  authorizeCode,
  getClientAccessToken,
  getCodeAccessToken,
  getTokenUsername,
  refreshClientToken,
  refreshCodeToken,
} from './oauth.ts';
import { addDatatableEntry, deleteDatatableEntry, startWorkflow, updateDatatableEntry } from './writes.ts';

/** Makes the operation of a list: it returns a page, with times in the format of the dialect. */
function paged(id: ListOperationId): Handler {
  return (world, call) => {
    const { dialect } = world;
    const format = id === 'listAlarmHistory' ? dialect.alarmTimes : dialect.recordTimes;
    const seen = viewList(world, listFor(world, id, call));
    const records = mapList(seen, (record) => withTimes(record, format, dialect.zone));
    return { body: pageOf(records, call.query, dialect) };
  };
}

/** The handler of each operation of the platform. */
export const handlers: Record<OperationId, Handler> = {
  getClientAccessToken,
  refreshClientToken,
  authorizeCode,
  getCodeAccessToken,
  refreshCodeToken,
  getTokenUsername,
  getHealth: ({ dialect }) =>
    dialect.healthy ? { body: { result: 'ok' } } : { status: 400, body: { result: 'database is down' } },
  listCurrentAlarms: (world, call) => {
    const { alarmTimes, zone } = world.dialect;
    return { body: { list: currentAlarms(world, call).map((alarm) => withTimes(alarm, alarmTimes, zone)) } };
  },
  listAlarmHistory: paged('listAlarmHistory'),
  addDatatableEntry,
  deleteDatatableEntry,
  updateDatatableEntry,
  listNetworks: paged('listNetworks'),
  getNetwork,
  listObjects: paged('listObjects'),
  getObject,
  listObjectProperties: paged('listObjectProperties'),
  readCurrent: (world, { body }) => answerCurrent(world, body),
  readHistory: (world, { body }) => answerHistory(world, body),
  listOrgs: paged('listOrgs'),
  getOrg,
  listOrgNodes: paged('listOrgNodes'),
  getOrgNode,
  listOrgPersons: paged('listOrgPersons'),
  listPersons: paged('listPersons'),
  getPerson,
  listUsers: paged('listUsers'),
  getUser,
  startWorkflow,
};
