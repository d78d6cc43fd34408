import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DoubleOrder, DoubleSize } from './list-double.ts';
import type { BenchPlatform } from './program.ts';

/** A platform that shows lists of objects and properties, in a process of its own. */
export interface ListDouble extends BenchPlatform {
  change(order: DoubleOrder): Promise<void>;
}

export async function startDouble(size: DoubleSize): Promise<ListDouble> {
  const child = fork(fileURLToPath(new URL('./list-double.ts', import.meta.url)), [JSON.stringify(size)]);
  const [baseUrl] = (await once(child, 'message')) as [string];
  return {
    ...{ baseUrl, appId: 'app', secret: 'secret' },
    async change(order) {
      child.send(order);
      await once(child, 'message');
    },
    async close() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
