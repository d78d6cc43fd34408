import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import {
  type InfluxOptions,
  influxStoreId,
  resolveInfluxOptions,
} from '../../../../src/load/stores/influx/options.ts';

const v1: InfluxOptions = { url: 'http://influx:8086/', version: 1, database: 'plant' };
const idOf = (options: InfluxOptions) => influxStoreId(resolveInfluxOptions(options));

function problemsOf(options: InfluxOptions): readonly string[] {
  try {
    resolveInfluxOptions(options);
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  return [];
}

describe('resolveInfluxOptions', () => {
  it('writes to the path of the version, in microseconds', () => {
    expect(resolveInfluxOptions({ ...v1, retentionPolicy: 'two years' }).writePath).toBe(
      '/write?db=plant&precision=u&rp=two+years',
    );
    expect(resolveInfluxOptions({ url: 'http://i', version: 2, org: 'o&o', bucket: 'b' }).writePath).toBe(
      '/api/v2/write?org=o%26o&bucket=b&precision=us',
    );
    expect(resolveInfluxOptions({ url: 'http://i', version: 3, database: 'd' }).writePath).toBe(
      '/api/v2/write?org=&bucket=d&precision=us',
    );
  });

  it('keeps a path prefix and drops slashes at the end', () => {
    expect(resolveInfluxOptions({ ...v1, url: 'https://host/gw/' }).baseUrl).toBe('https://host/gw');
  });

  it('lists all problems at once', () => {
    expect(problemsOf({ url: 'http://u:p@host', version: 2 })).toHaveLength(3);
    expect(problemsOf({ ...v1, url: 'influx' })).toEqual(['url is not an http or https address']);
    expect(problemsOf({ ...v1, url: 'http://host/api/v2' })[0]).toMatch('/api/v2');
    expect(problemsOf({ ...v1, tags: { object: 'x', _field: 'y' } })).toHaveLength(2);
    expect(problemsOf({ ...v1, measurement: '', polledMeasurement: '#x' })).toHaveLength(2);
  });
});

describe('influxStoreId', () => {
  it('differs with host, place, policy, measurement and constant tags, and holds no secret', () => {
    const base = { ...v1, username: 'u', password: 'geheim' };
    const variants = [
      base,
      { ...base, url: 'http://other:8086' },
      { ...base, database: 'plant2' },
      { ...base, retentionPolicy: 'rp' },
      { ...base, measurement: 'history' },
      { ...base, database: 'plant/rp' },
      { ...base, tags: { site: 'a' } },
      { ...base, tags: { site: 'a&b=c' } },
      { ...base, tags: { site: 'a', b: 'c' } },
    ];
    expect(new Set(variants.map(idOf)).size).toBe(variants.length);
    expect(idOf(base)).toBe('influx://influx:8086/plant/runtime');
    expect(variants.map(idOf).join()).not.toMatch('geheim');
  });

  it('stays the same when only the way of writing changes', () => {
    expect(idOf({ ...v1, batchLines: 10, gzip: false, password: 'x', username: 'y' })).toBe(idOf(v1));
  });
});
