/**
 * `npm run bench [hours]` measures the whole program, into Postgres and InfluxDB. Then it measures scans, and
 * compares them with a bare loop.
 */
import './pipeline.ts';
import './scan.ts';
