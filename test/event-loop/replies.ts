import { gzipSync } from 'node:zlib';
import type { StubAnswer } from '../support/stub/platform.ts';

/** The series of the history that is asked for. */
export const series = 'pump1.temp';
/** The operations that the measured process calls. */
export type Question = 'list' | 'history' | 'filling' | 'current' | 'alarms' | 'network';

/** A reply of about this many bytes. */
interface Sample {
  readonly question: Question;
  readonly make: (bytes: number) => StubAnswer;
}

const head = '{"list":[';
const tail = '],"pagination":{"total":1}}';
const object = (k: number) =>
  `{"name":"object-${k}","showName":"Pump ${k}","description":"Feeds the boiler","modelLabels":["a","b"],"createTime":"2024-05-01T08:00:00Z","id":${k}}`;

/** Joins whole elements until they have this many bytes. */
function fill(bytes: number, element: (k: number) => string): string {
  const pieces: string[] = [];
  for (let [k, length] = [0, 0]; length < bytes; k += 1) {
    const piece = element(k);
    pieces.push(piece);
    length += piece.length + 1;
  }
  return pieces.join(',');
}

const time = (k: number) => new Date(1.7e12 + k * 1000).toISOString().replace('.000Z', 'Z');
const history = (rows: string) =>
  `{"results":[{"name":"${series}","fields":["time","value"],"datas":[${rows}]}]}`;
const list = (elements: string): StubAnswer => ({ text: head + elements + tail });

/** Replies of every kind that a platform, or a gateway before it, may send: good, odd and broken. */
export const samples: Readonly<Record<string, Sample>> = {
  'a good list': { question: 'list', make: (bytes) => list(fill(bytes, object)) },
  'a good list, compressed': {
    question: 'list',
    make: (bytes) => ({
      bytes: gzipSync(head + fill(bytes, object) + tail),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  'a list with long integers': {
    question: 'list',
    make: (bytes) => list(fill(bytes, (k) => `{"name":"o${k}","id":${9007199254740993n + BigInt(k)}}`)),
  },
  'a list with bare NaN': {
    question: 'list',
    make: (bytes) => list(fill(bytes, (k) => `{"name":"o${k}","x":NaN}`)),
  },
  'a list of empty lists': { question: 'list', make: (bytes) => list(fill(bytes, () => '[]')) },
  'a list with one long text': {
    question: 'list',
    make: (bytes) => list(`{"name":"a","description":"${'x'.repeat(bytes)}"}`),
  },
  'a list that is cut': { question: 'list', make: (bytes) => ({ text: head + fill(bytes, object) }) },
  'a text that is cut among escaped quotations': {
    question: 'list',
    make: (bytes) => ({ text: `${head}{"name":"a","description":"${'\\"'.repeat(bytes / 2)}` }),
  },
  'an object of many members': {
    question: 'list',
    make: (bytes) => ({ text: `{${fill(bytes, (k) => `"m${k}":1`)}}` }),
  },
  'brackets without end': { question: 'list', make: (bytes) => ({ text: head + '['.repeat(bytes) }) },
  'a web page': { question: 'list', make: (bytes) => ({ text: `<html>${'<p>no</p>'.repeat(bytes / 9)}` }) },
  'an error with a long message': {
    question: 'list',
    make: (bytes) => ({ status: 400, body: { code: '800001', message: 'no '.repeat(bytes / 3) } }),
  },
  'an error of blanks in a success': {
    question: 'list',
    make: (bytes) => ({ body: { list: [], message: `${' '.repeat(bytes)}x` } }),
  },
  'a good history': {
    question: 'history',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time(k)}",${k / 8}]`)) }),
  },
  'a history of texts': {
    question: 'history',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time(k)}","state ${k}"]`)) }),
  },
  // These replies are also processed up to the stores. Their halves are read too, since the platform ignores
  // bounds.
  'a good history, stored': {
    question: 'filling',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time(k)}",${k / 8}]`)) }),
  },
  'a history of texts, stored': {
    question: 'filling',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time(k)}","state ${k}"]`)) }),
  },
  'a history in no order, stored': {
    question: 'filling',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time((k * 7_919) % 1_000_003)}",${k}]`)) }),
  },
  'a history of times, stored': {
    question: 'filling',
    make: (bytes) => ({ text: history(fill(bytes, (k) => `["${time(k)}","${time(k)}"]`)) }),
  },
  'a history that ends before its values, stored': {
    question: 'filling',
    make: (bytes) => ({
      text: history(fill(bytes, (k) => (k % 2 ? `["${time(k)}"]` : `["${time(k)}",${k}]`))),
    }),
  },
  'a history of one row for each result': {
    question: 'history',
    make: (bytes) => ({
      text: `{"results":[${fill(
        bytes,
        (k) => `{"name":"${series}","fields":["time","value"],"datas":[["${time(k)}",${k}]]}`,
      )}]}`,
    }),
  },
  'a history that is cut': {
    question: 'history',
    make: (bytes) => ({
      text: `{"results":[{"name":"${series}","fields":["time","value"],"datas":[${fill(bytes, (k) => `["${time(k)}",${k}]`)}`,
    }),
  },
  'current values that nobody asked for': {
    question: 'current',
    make: (bytes) => ({ text: `{${fill(bytes, (k) => `"x${k}.temp":${k}`)}}` }),
  },
  'current values of long texts': {
    question: 'current',
    make: (bytes) => ({ body: { [series]: 'x'.repeat(bytes) } }),
  },
  'good current alarms': {
    question: 'alarms',
    make: (bytes) =>
      list(
        fill(
          bytes,
          (k) =>
            `{"sourceObjName":"o${k}","sourcePropName":"temp","showName":"hot","alarmType":"GT","startTime":"${time(k)}","priority":5,"status":1}`,
        ),
      ),
  },
  'a good network': {
    question: 'network',
    make: (bytes) => ({ text: `{"children":[${fill(bytes, (k) => `{"name":"o${k}","children":[]}`)}]}` }),
  },
};
