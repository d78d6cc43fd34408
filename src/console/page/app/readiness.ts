import { useEffect, useState } from 'preact/hooks';
import type { Readiness } from '../../readiness.ts';
import { onChange } from './live.ts';

/** Reads the readiness of the process, which also answers while the service starts. */
export function useReadiness(): Readiness | undefined {
  const [readiness, setReadiness] = useState<Readiness | undefined>(undefined);
  useEffect(() => {
    const read = () =>
      fetch('/readyz')
        .then((reply) => reply.json())
        .then((found) => setReadiness(found as Readiness))
        // The frame tells that the console does not answer.
        .catch(() => undefined);
    void read();
    return onChange(['health'], read);
  }, []);
  return readiness;
}
