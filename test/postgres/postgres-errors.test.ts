import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { asConnectError, asStoreError } from '../../src/postgres/postgres-errors.ts';

const at = { host: 'db', port: 5432, user: 'plantsync', database: 'plant' };

function answerOf(state: string): DatabaseError {
  return Object.assign(new DatabaseError('it refuses', 1, 'error'), { code: state });
}

function thrownBy(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe('an answer of PostgreSQL', () => {
  it.each([
    ['08006', 'postgres.connection_lost', 'retry'],
    ['22003', 'postgres.refused_value', 'stop'],
    ['23505', 'postgres.refused_value', 'stop'],
    ['54000', 'postgres.refused_value', 'stop'],
    ['25006', 'postgres.read_only', 'retry'],
    ['25P03', 'postgres.restarting', 'retry'],
    ['57P01', 'postgres.restarting', 'retry'],
    ['40P01', 'postgres.conflict', 'retry'],
    ['42501', 'postgres.no_rights', 'stop'],
    ['42P01', 'postgres.missing_table', 'stop'],
    ['53100', 'postgres.disk_full', 'retry'],
    ['53200', 'postgres.out_of_memory', 'retry'],
    ['53300', 'postgres.too_many_connections', 'retry'],
    ['53400', 'postgres.refused_statement', 'retry'],
    ['55P03', 'postgres.locked', 'retry'],
    ['57014', 'postgres.cancelled', 'retry'],
    ['57P04', 'postgres.refused_statement', 'stop'],
    ['XX000', 'postgres.refused_statement', 'stop'],
  ])('%s is %s, to %s', (state, code, action) => {
    const error = asStoreError(answerOf(state), 'loading objects');
    expect(error).toMatchObject({ name: 'StoreError', code, action });
    expect(error.message).toContain(`loading objects: PostgreSQL answers: it refuses (${state})`);
  });

  it('is not made of another error', () => {
    const error = new TypeError('x is undefined');
    expect(asStoreError(error, 'loading objects')).toBe(error);
  });
});

describe('a connection to PostgreSQL', () => {
  it.each([
    ['postgres.unreachable', thrownBy('ECONNREFUSED')],
    ['postgres.tls_failed', thrownBy('SELF_SIGNED_CERT_IN_CHAIN')],
    ['postgres.wrong_password', answerOf('28P01')],
    ['postgres.missing_database', answerOf('3D000')],
    ['postgres.too_many_connections', answerOf('53300')],
    ['postgres.missing_password', new Error('SASL: client password must be a string')],
    ['postgres.connect_failed', new Error('Received unexpected message')],
  ])('fails with %s', (code, thrown) => {
    expect(asConnectError(thrown, at)).toMatchObject({ name: 'StoreError', code });
  });

  it('that breaks while it is used is lost', () => {
    const error = asStoreError(new Error('Connection terminated unexpectedly'), 'loading objects');
    expect(error).toMatchObject({ code: 'postgres.connection_lost', action: 'retry' });
  });
});
