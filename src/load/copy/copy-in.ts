import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';

/**
 * Sends binary COPY data to `target`, a quoted table with its column list. Resolves to the number of rows
 * once the server has taken all of them. An error of the server, or of the source of the chunks, ends the
 * COPY on both sides.
 */
export async function copyIn(client: PoolClient, target: string, chunks: Iterable<Buffer>): Promise<number> {
  const copy = client.query(from(`copy ${target} from stdin (format binary)`));
  await pipeline(Readable.from(withTurns(chunks)), copy);
  return copy.rowCount;
}

/**
 * Lets the event loop turn after every chunk. A socket that always takes the next chunk at once would else
 * keep the process busy until the last row. The process could not even notice that the connection broke.
 */
async function* withTurns(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
