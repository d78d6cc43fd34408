/**
 * `npm run bench [hours]` measures the whole program, into Postgres and InfluxDB. Then it measures scans, and
 * compares them with a bare loop. `npm run bench -- bi [millions]` measures the questions of docs/bi.md.
 */
if (process.argv[2] === 'bi') await import('./bi/index.ts');
else {
  await import('./pipeline.ts');
  await import('./scan.ts');
}
