import type { InfluxTarget } from './influx-options.ts';
import { createLineEncoder, type LineEncoder } from './line-protocol.ts';

/** Measurement and constant tags under which the points of a stream are. */
export type StreamPlace = Pick<InfluxTarget, 'measurement' | 'tags'>;

/**
 * `history` goes to the measurement itself, its aggregate `history/300s/mean` to `runtime_300s` with the tag `function`, so that the
 * fields are the same everywhere.
 */
export function placeOfStream({ measurement, tags }: StreamPlace, stream: string): StreamPlace {
  const [, period, fn] = stream.split('/');
  if (period === undefined || fn === undefined) return { measurement, tags };
  return { measurement: `${measurement}_${period}`, tags: { ...tags, function: fn } };
}

/** The encoder of each stream, made at its first use. */
export function createEncoders(target: StreamPlace): (stream: string) => LineEncoder {
  const encoders = new Map<string, LineEncoder>();
  return (stream) => {
    const known = encoders.get(stream);
    if (known !== undefined) return known;
    const { measurement, tags } = placeOfStream(target, stream);
    const encoder = createLineEncoder(measurement, tags);
    encoders.set(stream, encoder);
    return encoder;
  };
}
