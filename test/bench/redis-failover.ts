/**
 * Measures how long jobs stand still while Redis fails over, with sentinels and with a cluster. Prints the
 * seconds of each failover next to the aim.
 *
 *     node --import tsx test/bench/redis-failover.ts
 */
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { failOverTwice, findExcess, REQUESTS_PER_SECOND, workThrough } from '../queue/redis/redis-load.ts';
import { openClusterSite, openSentinelSite, type RedisSite } from '../queue/redis/redis-site.ts';
import { makeTestCertificates } from '../support/network/test-certificates.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { judge } from './aims/aims.ts';

const ROUNDS = Number(process.argv[2] ?? 1);

async function measure(site: RedisSite, name: string): Promise<void> {
  const server = await startPostgres();
  const db = openPostgres(server.options, silentLog);
  await migrate(db, defaultSchemas);
  const enders: (() => unknown)[] = [];
  let upsetMs = performance.now();
  const found = await workThrough(site, {
    db,
    onFinished: (end) => enders.push(end as () => unknown),
    async upset(goesOn) {
      upsetMs = performance.now();
      await failOverTwice(site, async () => {
        await goesOn();
        const seconds = (performance.now() - upsetMs) / 1000;
        console.log(`${name}: all work goes on after ${seconds.toFixed(1)} s`);
        longestSec = Math.max(longestSec, seconds);
        upsetMs = performance.now();
      });
    },
  });
  const lost = found.given.filter((piece) => !found.results.has(piece)).length;
  const excess = (findExcess(found.takes) / REQUESTS_PER_SECOND).toFixed(1);
  console.log(
    `${name}: ${found.jobs.runs.length} runs, ${found.given.length} pieces, ${lost} lost, ` +
      `${found.reasons.length} failed, requests beyond the rate: those of ${excess} s at most`,
  );
  lostPieces += lost;
  for (const end of enders.reverse()) await end();
  await db.close();
  await server.close();
}

let [longestSec, lostPieces] = [0, 0];
const certificates = await makeTestCertificates();
for (let round = 0; round < ROUNDS; round += 1) {
  const sentinels = await openSentinelSite('s');
  await measure(sentinels, 'sentinels');
  await sentinels.close();
  const cluster = await openClusterSite('c', certificates);
  await measure(cluster, 'cluster');
  await cluster.close();
}
judge('failover', longestSec);
judge('lostPieces', lostPieces);
