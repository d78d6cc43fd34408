import { describe, expect, it } from 'vitest';
import { briefReason } from '../../src/sync/brief-reason.ts';

describe('briefReason', () => {
  it('keeps what the platform said, and leaves out how it was called', () => {
    const reason =
      'demo_pump.leakage from 2026-11-29T14:18:34Z to 2026-11-29T14:53:51Z cannot be read: ' +
      'readHistory (POST /openapi/objects/v1/properties/history) at 127.0.0.1:33359 failed after 3 attempts: ' +
      'HTTP 400, code 800001: the archive is being moved [platform.operation_failed]';
    expect(briefReason(reason)).toBe(
      'demo_pump.leakage from 2026-11-29T14:18:34Z to 2026-11-29T14:53:51Z cannot be read: ' +
        'HTTP 400, code 800001: the archive is being moved',
    );
  });

  it('says known failures in common words', () => {
    expect(briefReason('connect ECONNREFUSED 127.0.0.1:1')).toBe('connection refused');
  });

  it('cuts a long first line, and leaves out the others', () => {
    expect(briefReason(`${'a'.repeat(500)}\nmore`)).toBe(`${'a'.repeat(159)}…`);
  });
});
