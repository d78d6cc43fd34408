import { openLog } from '../../../src/log.ts';
import { startEmbedded } from '../../../src/postgres/embedded/start-embedded.ts';

// A program that uses the embedded server of a folder until its stdin ends. It can be killed, and run several
// times.
const [dataDir = '', root = ''] = process.argv.slice(2);
const server = await startEmbedded({ dataDir, roots: [root], log: openLog({ level: 'error' }).log });
process.stdout.write(`${JSON.stringify(server)}\n`);
process.stdin.resume();
process.stdin.once('end', () => server.stop());
