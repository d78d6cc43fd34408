import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../src/streams/define.ts';
import { objectDetails } from '../../src/streams/object-details.ts';
import { orgNodeDetails } from '../../src/streams/org-node-details.ts';
import { userDetails } from '../../src/streams/user-details.ts';

describe('a reply with the details of one item', () => {
  const read = recordsOf(objectDetails);

  it('is its record', () => {
    const reply = { name: 'pump1', templateName: 'Pump' };
    expect(read?.(reply, { name: 'pump1' })).toEqual([reply]);
    expect(read?.(reply)).toEqual([reply]);
    expect(recordsOf(orgNodeDetails)?.({ name: 'n1' }, { org: 'plant', name: 'n1' })).toHaveLength(1);
    expect(recordsOf(userDetails)?.({ username: '7' }, { username: '7' })).toHaveLength(1);
  });

  it.each([
    [{ code: '0', message: 'success' }],
    [{ description: 'x', templateName: 'Pump' }],
    [{ name: null, templateName: 'Pump' }],
    [{}],
    [[]],
    [null],
    ['pump1'],
  ])('is refused where it does not name the item: %j', (reply) => {
    expect(() => read?.(reply, { name: 'pump1' })).toThrow('the reply has no member name');
  });

  it('is refused where it complains: what it lacks is then not known', () => {
    expect(() => read?.({ name: 'pump1', message: 'labels are not ready' }, { name: 'pump1' })).toThrow(
      'a message that reports no success',
    );
    const named = { name: 'pump1', code: 'P-0815', message: 'success' };
    expect(read?.(named, { name: 'pump1' })).toEqual([named]);
  });

  it('is refused where it is that of another item', () => {
    expect(() => read?.({ name: 'pump2' }, { name: 'pump1' })).toThrow('the reply is about "pump2"');
  });
});
