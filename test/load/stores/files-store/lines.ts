/** One line of line protocol: `measurement,tags fields time`. */
export interface Line {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, number | string>>;
  /** Epoch microseconds. */
  readonly at: number;
}

const LINE = /^([^,]+)((?:,[^ ]+)?) (.*) (-?\d+)$/;
const FIELD = /([a-z_]+)=("(?:[^"\\]|\\.)*"|[^,]+)(?:,|$)/g;

/** The line without a line break. No name or text can hold one: names are percent-encoded, texts are JSON. */
export function encodeLine({ measurement, tags, fields, at }: Line): string {
  const named = Object.entries(tags).map(([name, value]) => `,${name}=${encodeName(value)}`);
  const set = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${encodeName(measurement)}${named.join('')} ${set.join(',')} ${at}`;
}

/** Throws an error if the line is none of ours. */
export function decodeLine(text: string): Line {
  const [, measurement, tags = '', fields = '', at] = LINE.exec(text) ?? [];
  if (measurement === undefined) throw new Error(`not a line of line protocol: ${text.slice(0, 80)}`);
  return {
    measurement: decodeURIComponent(measurement),
    tags: Object.fromEntries(
      tags
        .split(',')
        .slice(1)
        .map((tag) => tag.split('='))
        .map(([name = '', value = '']) => [name, decodeURIComponent(value)]),
    ),
    fields: Object.fromEntries(
      [...fields.matchAll(FIELD)].map(([, name = '', value = '']) => [name, JSON.parse(value)]),
    ),
    at: Number(at),
  };
}

/** The same for lines that are one point: of those the last one in a file counts. */
export function keyOfLine({ measurement, tags, at }: Line): string {
  return JSON.stringify([measurement, Object.entries(tags).sort(), at]);
}

function encodeName(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
