/**
 * `npm run bench [hours]` measures the whole program, into Postgres and InfluxDB. Then it measures scans, and
 * compares them with a bare loop. `npm run bench -- bi [millions]` measures the questions of docs/bi.md.
 * `npm run bench -- aims` measures all that has an aim. `npm run bench -- --scaling` prints how cost grows
 * with the plant.
 */
if (process.argv[2] === 'bi') await import('./bi/index.ts');
else if (process.argv[2] === 'aims') await import('./aims/index.ts');
else if (process.argv.includes('--scaling')) await import('./scaling/index.ts');
else {
  await import('./pipeline.ts');
  await import('./scan.ts');
}
