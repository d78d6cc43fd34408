import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Disk } from '../support/servers/disk.ts';
import type { TestServer } from '../support/servers/process.ts';
import { type EngineKind, type FaultSite, influxDatabase, type Part } from './site.ts';

/** Ends a fault. */
type Cure = () => Promise<unknown>;

/** A fault that lasts for a while. */
export interface FaultKind {
  readonly name: string;
  /** The engine for which the fault makes sense. Both if not given. */
  readonly engine?: EngineKind;
  /** Begins the fault. `part` is a random process of the service. */
  needs?(site: FaultSite): string | undefined;
  begin(site: FaultSite, part: Part): Promise<Cure>;
}

const setClock = (ahead: string): Pick<FaultKind, 'begin'> => ({
  async begin(_, { clock }) {
    clock.set(ahead);
    return async () => clock.set('+0');
  },
});

const stop = (
  pick: (site: FaultSite, part: Part) => { signal(signal: NodeJS.Signals): unknown } | undefined,
) => ({
  async begin(site: FaultSite, part: Part): Promise<Cure> {
    await pick(site, part)?.signal('SIGSTOP');
    return async () => pick(site, part)?.signal('SIGCONT');
  },
});

const kill = (pick: (site: FaultSite) => { kill(): Promise<void>; start(): Promise<void> } | undefined) => ({
  async begin(site: FaultSite): Promise<Cure> {
    await pick(site)?.kill();
    return async () => pick(site)?.start();
  },
});

const replies = (...rules: object[]): Pick<FaultKind, 'begin'> => ({
  async begin({ platform }) {
    await platform.setFaults(rules);
    return () => platform.setFaults([]);
  },
});

/** Drops the packets to the port of a server, as a broken network does. Nobody is told. */
const dropPackets = (pick: (site: FaultSite) => string | undefined): Pick<FaultKind, 'begin'> => ({
  async begin(site) {
    const rule = ['INPUT', '-i', 'lo', '-p', 'tcp', '--dport', new URL(pick(site) ?? '').port, '-j', 'DROP'];
    const iptables = (action: string) => promisify(execFile)('iptables', ['-w', action, ...rule]);
    await iptables('-I');
    return () => iptables('-D');
  },
});

/** Fills the disk of a server. The cure makes room, and starts a server that has ended meanwhile. */
const fillDisk = (
  pick: (site: FaultSite) => TestServer & { readonly disk: Disk | undefined },
  isAlive: (site: FaultSite) => Promise<unknown>,
): Pick<FaultKind, 'begin' | 'needs'> => ({
  needs: (site) =>
    pick(site).disk === undefined ? 'a disk cannot be mounted here: that needs root on Linux' : undefined,
  async begin(site) {
    const { disk } = pick(site);
    await disk?.fill();
    return async () => {
      await disk?.free();
      await isAlive(site).catch(() => pick(site).start());
    };
  },
});

const leader = ({ parts }: FaultSite) => parts[0];
const askInflux = ({ influx }: FaultSite, query: string) =>
  fetch(`${influx.url}/query?q=${encodeURIComponent(query)}`, { method: 'POST' });

/** All the faults. */
export const faultKinds: readonly FaultKind[] = [
  {
    name: 'process killed',
    async begin(_, part) {
      await part.kill();
      return async () => part.start();
    },
  },
  { name: 'process stopped', ...stop((_, part) => part) },
  { name: 'clock 1 h ahead', ...setClock('+1h') },
  { name: 'clock 2 d ahead', ...setClock('+2d') },
  { name: 'clock 1 h behind', ...setClock('-1h') },
  { name: 'leader stopped', engine: 'redis', ...stop(leader) },
  {
    name: 'leader stopped, Redis lost its data',
    engine: 'redis',
    async begin(site) {
      leader(site)?.signal('SIGSTOP');
      await site.redis?.client.flushall();
      return async () => leader(site)?.signal('SIGCONT');
    },
  },
  {
    name: 'Redis lost its data',
    engine: 'redis',
    async begin({ redis }) {
      await redis?.client.flushall();
      return async () => undefined;
    },
  },
  { name: 'Redis killed', engine: 'redis', ...kill(({ redis }) => redis?.server) },
  { name: 'Redis stopped', engine: 'redis', ...stop(({ redis }) => redis?.server) },
  { name: 'packets to Redis dropped', engine: 'redis', ...dropPackets(({ redis }) => redis?.server.url) },
  {
    name: 'Redis full',
    engine: 'redis',
    async begin({ redis }) {
      await redis?.client.config('SET', 'maxmemory', '1');
      return async () => redis?.client.config('SET', 'maxmemory', '0');
    },
  },
  {
    name: 'Redis a replica',
    engine: 'redis',
    async begin({ redis }) {
      await redis?.client.replicaof('127.0.0.1', 9);
      return async () => redis?.client.replicaof('NO', 'ONE');
    },
  },
  { name: 'Postgres killed', ...kill(({ postgres }) => postgres) },
  { name: 'Postgres stopped', ...stop(({ postgres }) => postgres) },
  { name: 'packets to Postgres dropped', ...dropPackets(({ postgres }) => postgres.url) },
  {
    name: 'sessions of Postgres ended',
    async begin({ db }) {
      await db.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
      return async () => undefined;
    },
  },
  {
    name: 'ledger locked',
    async begin({ db }) {
      const session = await db.openSession();
      await session.query('begin');
      await session.query('lock table plantsync.runs in access exclusive mode');
      return () => session.end();
    },
  },
  {
    name: 'disk of Postgres full',
    ...fillDisk(
      ({ postgres }) => postgres,
      ({ db }) => db.query('select 1'),
    ),
  },
  {
    name: 'disk of InfluxDB full',
    ...fillDisk(
      ({ influx }) => influx,
      async (site) => askInflux(site, 'show databases'),
    ),
  },
  { name: 'InfluxDB killed', ...kill(({ influx }) => influx) },
  { name: 'InfluxDB stopped', ...stop(({ influx }) => influx) },
  {
    name: 'InfluxDB database dropped',
    async begin(site) {
      await askInflux(site, `drop database ${influxDatabase}`);
      return async () => undefined;
    },
  },
  { name: 'platform stopped', ...stop(({ platform }) => platform) },
  { name: 'platform fails', ...replies({ kind: 'status', status: 500 }) },
  { name: 'platform silent', ...replies({ kind: 'silent' }) },
  { name: 'platform limits the rate', ...replies({ kind: 'status', status: 429, retryAfterSec: 2 }) },
  { name: 'platform slow', ...replies({ kind: 'latency', delayMs: 2_500 }) },
  { name: 'platform resets connections', ...replies({ kind: 'reset' }) },
  { name: 'platform cuts replies', ...replies({ kind: 'truncate' }) },
  { name: 'platform sends garbage', ...replies({ kind: 'json-garbage' }) },
  { name: 'platform shows a page of its gateway', ...replies({ kind: 'html' }) },
  { name: 'platform revokes tokens', ...replies({ kind: 'revoke', operation: 'readCurrent' }) },
  {
    name: 'platform refuses the secret',
    ...replies({ kind: 'revoke' }, { kind: 'status', status: 401, operation: 'getClientAccessToken' }),
  },
];
