import { UsageError } from '../errors.ts';

/** Where one server listens. */
export interface ServerPlace {
  /** Host, or the folder of the Unix socket. Empty if the driver chooses. */
  readonly host: string;
  readonly port: number;
}

/** What a server has to allow. `any`: plantsync looks at the only server after it has connected. */
export type SessionDemand = 'any' | 'primary' | 'read-write';

/** The servers that an address names. */
export interface ServerList {
  /** The address with the first server alone, which is a URL. */
  readonly url: string;
  /** All servers. Empty if the address names only one. */
  readonly servers: readonly ServerPlace[];
  readonly demand: SessionDemand;
}

const DEFAULT_PORT = 5432;
/** Scheme and user, the servers, and the rest of an address. A `#` may stand in a password by mistake. */
const ADDRESS = /^(\w+:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s;
const PLACE = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/;
/** `transaction_read_only` and `pg_is_in_recovery` answer for these; a server for reading is of no use. */
const demands: readonly string[] = ['any', 'primary', 'read-write'] satisfies SessionDemand[];

/**
 * Reads the servers of an address, as libpq does: `postgres://a:5432,b:5433/d`, or the parameters `host` and
 * `port` with commas. Throws a `UsageError` if they do not fit together.
 */
export function readServers(address: string): ServerList {
  const list = splitServers(address);
  if (typeof list === 'string') throw new UsageError('config.wrong_value', `postgres.url ${list}`);
  return list;
}

/** Returns what is wrong with the servers of an address. Returns undefined if nothing is. */
export function findServerProblem(address: string): string | undefined {
  const list = splitServers(address);
  return typeof list === 'string' ? list : undefined;
}

/** Returns the address with its first server alone, which can be read as a URL. */
export function firstServerOf(address: string): string {
  const [, before = '', servers = '', rest = ''] = ADDRESS.exec(address) ?? [];
  return servers.includes(',') ? `${before}${servers.split(',')[0]}${rest}` : address;
}

function splitServers(address: string): ServerList | string {
  const url = firstServerOf(address);
  // The caller that takes the address apart says that it is no URL.
  if (!URL.canParse(url)) return { url: address, servers: [], demand: 'any' };
  const { searchParams } = new URL(url);
  const parsed = listPlaces(ADDRESS.exec(address)?.[2] ?? '', searchParams);
  if (typeof parsed === 'string') return parsed;
  const servers = parsed.length > 1 ? parsed : [];
  const demand = searchParams.get('target_session_attrs') ?? (servers.length > 0 ? 'read-write' : 'any');
  if (!demands.includes(demand) || (demand === 'any' && servers.length > 0))
    return `has target_session_attrs=${demand}: plantsync writes, so give read-write or primary`;
  return { url, servers, demand: demand as SessionDemand };
}

/** Lists the servers of the address, or of the parameters `host` and `port` if they are given. */
function listPlaces(listed: string, parameters: URLSearchParams): ServerPlace[] | string {
  const named = listed.split(',').map((place) => PLACE.exec(place));
  if (named.includes(null)) return 'holds a server that is not HOST or HOST:PORT';
  const hosts =
    parameters.get('host')?.split(',') ??
    named.map((match) => decodeURIComponent((match?.[1] ?? '').replace(/^\[|\]$/g, '')));
  const ports = parameters.get('port')?.split(',') ?? named.map((match) => match?.[2] ?? '');
  if (ports.length !== 1 && ports.length !== hosts.length)
    return `names ${hosts.length} servers and ${ports.length} ports: give one port, or one for each server`;
  const numbers = ports.map((port) => (port === '' ? DEFAULT_PORT : Number(port)));
  if (!numbers.every((port) => Number.isInteger(port) && port > 0 && port < 65_536))
    return 'holds a port that is not a number from 1 to 65535';
  if (hosts.length > 1 && hosts.includes('')) return 'holds a comma without a server on both sides of it';
  return hosts.map((host, n) => ({ host, port: numbers[ports.length === 1 ? 0 : n] ?? DEFAULT_PORT }));
}
