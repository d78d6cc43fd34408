/** `npm run bench [hours]`: the whole program, side by side into Postgres and InfluxDB, in one run. */
import './pipeline.ts';
