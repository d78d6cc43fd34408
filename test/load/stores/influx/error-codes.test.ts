import { HttpError } from '@influxdata/influxdb-client';
import { describe, expect, it } from 'vitest';
import { resolveInfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import { replyError } from '../../../../src/load/stores/influx/query-client.ts';
import { storeErrorOf } from '../../../../src/load/stores/influx/write-replies.ts';

const target = resolveInfluxOptions({ url: 'http://influx.test', version: 1, database: 'plant' });

describe('an error of InfluxDB', () => {
  it.each([
    ['a network error', 'influx.unreachable', 'retry', new Error('socket hang up')],
    ['HTTP 503', 'influx.overloaded', 'retry', new HttpError(503, 'Service Unavailable')],
    ['HTTP 401', 'influx.unauthorized', 'stop', new HttpError(401, 'Unauthorized')],
    ['HTTP 400', 'influx.refused_points', 'stop', new HttpError(400, 'Bad Request')],
    ['HTTP 404', 'influx.missing_database', 'stop', new HttpError(404, 'Not Found')],
    ['HTTP 405', 'influx.refused_write', 'stop', new HttpError(405, 'Method Not Allowed')],
  ])('by %s at a write is %s', (_, code, action, error) => {
    expect(storeErrorOf(error, target)).toMatchObject({ name: 'StoreError', code, action });
  });

  it.each([
    [401, 'influx.unauthorized', 'stop'],
    [403, 'influx.unauthorized', 'stop'],
    [429, 'influx.overloaded', 'retry'],
    [500, 'influx.overloaded', 'retry'],
    [200, 'influx.refused_query', 'stop'],
  ])('by HTTP %s at a query is %s', (status, code, action) => {
    const reply = { status, headers: {}, text: '', json: { error: 'no' } };
    expect(replyError(reply, target, 'a query')).toMatchObject({ code, action });
  });
});
