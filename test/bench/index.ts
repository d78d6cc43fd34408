/** `npm run bench [hours]`: the whole program, side by side into Postgres and InfluxDB, and its scans beside a bare loop, in one run. */
import './pipeline.ts';
import './scan.ts';
