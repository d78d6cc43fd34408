/**
 * `node --import tsx test/bench/looks.ts [millions of series] [patterns of holes] [URL of an empty database]`
 * prints what the commands take that look at all series. Each series has ten fragments of coverage. With
 * 20,000 patterns, 100 series share their holes, as series do that are read together. More patterns than
 * series: each series has holes of its own.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { timed } from './bench-database.ts';
import { fillLargeLedger } from './large-ledger.ts';
import { measureProgram } from './measure-program.ts';
import { startSimulatorProcess } from './simulator-process.ts';

const [millions = '2', patterns = '20000', url] = process.argv.slice(2);
const DAY_SEC = 86_400;
const DAYS = 365;
