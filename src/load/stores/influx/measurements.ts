import { createLineEncoder, type LineEncoder } from './line-protocol.ts';
import type { InfluxTarget } from './options.ts';

/** The measurement and the constant tags of the points of a stream. */
export type StreamPlace = Pick<InfluxTarget, 'measurement' | 'tags'>;

/**
 * Returns the place of a stream. `history` goes to the measurement itself. Its aggregate `history/300s/mean`
 * goes to `runtime_300s` with the tag `function`, so that the fields are the same everywhere.
 */
export function placeOfStream({ measurement, tags }: StreamPlace, stream: string): StreamPlace {
  const [, period, fn] = stream.split('/');
  if (period === undefined || fn === undefined) return { measurement, tags };
  return { measurement: `${measurement}_${period}`, tags: { ...tags, function: fn } };
}

/** Creates a function that returns the encoder of a stream, made at its first use. */
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
