import { signal } from '@preact/signals';

/** What the console tells that it has changed. `health` is the readiness of its process. */
export type Topic = 'health' | 'runs' | 'backfills' | 'rejects' | 'control' | 'changes' | 'drift';

/** Since when the console has not been heard, in epoch milliseconds. Undefined while it is heard. */
export const silentSince = signal<number | undefined>(undefined);

interface Listener {
  readonly topics: readonly Topic[];
  readonly wake: () => void;
  /** Whether something has changed since the listener was woken last. */
  isDue: boolean;
}

const listeners = new Set<Listener>();
/** Time without any event after which the connection counts as lost. The console sends one every 2 s. */
const SILENT_AFTER_MS = 10_000;
let source: EventSource | undefined;
let heardAt = Date.now();

/** Calls `wake` when something of the topics has changed, while the page is seen. The result ends that. */
export function onChange(topics: readonly Topic[], wake: () => void): () => void {
  const listener: Listener = { topics, wake, isDue: false };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Listens to the console for as long as the page lives. */
export function listen(): void {
  if (source !== undefined) return;
  heardAt = Date.now();
  connect();
  setInterval(watch, 2_000);
  document.addEventListener('visibilitychange', wakeThoseDue);
}

function connect(): void {
  source?.close();
  source = new EventSource('/api/v1/events');
  source.onmessage = ({ data }: MessageEvent<string>) => {
    heardAt = Date.now();
    const { changed } = JSON.parse(data) as { changed: readonly Topic[] };
    const wasSilent = silentSince.value !== undefined;
    silentSince.value = undefined;
    for (const listener of listeners)
      if (wasSilent || listener.topics.some((topic) => changed.includes(topic))) listener.isDue = true;
    wakeThoseDue();
  };
}

function wakeThoseDue(): void {
  if (document.hidden) return;
  for (const listener of listeners) {
    if (!listener.isDue) continue;
    listener.isDue = false;
    listener.wake();
  }
}

/** A connection may die without a word, so the page goes by what it has heard. */
function watch(): void {
  if (Date.now() - heardAt < SILENT_AFTER_MS) return;
  silentSince.value ??= heardAt;
  if (source?.readyState !== EventSource.CONNECTING) connect();
}
