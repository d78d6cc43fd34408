/** One operation of the platform. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Path template with `{parameters}`, relative to the base URL. */
  readonly path: string;
  /**
   * A `read` may be repeated at will, a `write` only if it surely did not arrive. A `token` operation carries
   * secrets and needs no token.
   */
  readonly kind: 'read' | 'write' | 'token';
  /** True if the reply is a page: `list` and `pagination`. */
  readonly paged?: true;
}

/** The 29 operations of the platform by the ids of the contract (`openapi.yaml`). */
export const operations = {
  getClientAccessToken: { method: 'GET', path: '/oauth2/client/v1/accessToken', kind: 'token' },
  refreshClientToken: { method: 'GET', path: '/oauth2/client/v1/refreshToken', kind: 'token' },
  authorizeCode: { method: 'GET', path: '/oauth2/code/v1/authorize', kind: 'token' },
  getCodeAccessToken: { method: 'GET', path: '/oauth2/code/v1/accessToken', kind: 'token' },
  refreshCodeToken: { method: 'GET', path: '/oauth2/code/v1/refreshToken', kind: 'token' },
  getTokenUsername: { method: 'GET', path: '/oauth2/v1/{accessToken}/username', kind: 'token' },
  getHealth: { method: 'GET', path: '/openapi/health', kind: 'read' },
  listCurrentAlarms: { method: 'GET', path: '/openapi/alarms/v1/current', kind: 'read' },
  listAlarmHistory: { method: 'GET', path: '/openapi/alarms/v1/history', kind: 'read', paged: true },
  addDatatableEntry: {
    method: 'POST',
    path: '/openapi/datatable/v1/{objName}/addDataTableEntry',
    kind: 'write',
  },
  deleteDatatableEntry: {
    method: 'POST',
    path: '/openapi/datatable/v1/{objName}/deleteDataTableEntry',
    kind: 'write',
  },
  updateDatatableEntry: {
    method: 'POST',
    path: '/openapi/datatable/v1/{objName}/updateDataTableEntry',
    kind: 'write',
  },
  listNetworks: { method: 'GET', path: '/openapi/networks/v1', kind: 'read', paged: true },
  getNetwork: { method: 'GET', path: '/openapi/networks/v1/{networkName}', kind: 'read' },
  listObjects: { method: 'GET', path: '/openapi/objects/v1', kind: 'read', paged: true },
  getObject: { method: 'GET', path: '/openapi/objects/v1/{objName}', kind: 'read' },
  listObjectProperties: {
    method: 'GET',
    path: '/openapi/objects/v1/{objName}/properties',
    kind: 'read',
    paged: true,
  },
  readCurrent: { method: 'POST', path: '/openapi/objects/v1/properties/current', kind: 'read' },
  readHistory: { method: 'POST', path: '/openapi/objects/v1/properties/history', kind: 'read' },
  listOrgs: { method: 'GET', path: '/openapi/orgs/v1', kind: 'read', paged: true },
  getOrg: { method: 'GET', path: '/openapi/orgs/v1/{orgName}', kind: 'read' },
  listOrgNodes: { method: 'GET', path: '/openapi/orgs/v1/{orgName}/nodes', kind: 'read', paged: true },
  getOrgNode: { method: 'GET', path: '/openapi/orgs/v1/{orgName}/nodes/{nodeName}', kind: 'read' },
  listOrgPersons: { method: 'GET', path: '/openapi/orgs/v1/{orgName}/persons', kind: 'read', paged: true },
  listPersons: { method: 'GET', path: '/openapi/persons/v1', kind: 'read', paged: true },
  getPerson: { method: 'GET', path: '/openapi/persons/v1/{name}', kind: 'read' },
  listUsers: { method: 'GET', path: '/openapi/users/v1', kind: 'read', paged: true },
  getUser: { method: 'GET', path: '/openapi/users/v1/{username}', kind: 'read' },
  startWorkflow: { method: 'POST', path: '/openapi/workflows/v1/start/{diagramCode}', kind: 'write' },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** Operations whose reply is a page of a list. */
export type ListOperationId = {
  [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never;
}[OperationId];
