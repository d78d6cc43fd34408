import { describe, expect, it } from 'vitest';
import { encodeEvent } from '../../../../src/load/stores/influx/events.ts';
import type { PlacedAlarmEvent } from '../../../../src/streams/alarm-row.ts';

const target = { alarmMeasurement: 'alarm_events', tags: { site: 'north' } };
const event: PlacedAlarmEvent = {
  object: 'Pump 1\\',
  property: 'temp',
  show_name: 'level > 90 %',
  alarm_type: 'GT',
  started_at: 1_714_521_600_000_000,
  transition: 'acknowledged',
  at: 1_714_521_660_000_001,
  priority: 5,
  value: '12,5',
  description: 'said "stop"\\',
  username: 'lina',
  place: 0,
};

describe('the line of an alarm event', () => {
  it('has what tells it from others as tags, and texts as fields', () => {
    expect(encodeEvent(target, event)).toEqual({
      refused: undefined,
      line:
        'alarm_events,alarm_type=GT,name=level\\ >\\ 90\\ %,object=Pump\\ 1␛5C,priority=5,property=temp,site=north,transition=acknowledged ' +
        'started_at="2024-05-01T00:00:00Z",value="12,5",description="said \\"stop\\"\\\\",username="lina" 1714521660000001',
    });
  });

  it('leaves out what is empty, and tells its place only where it needs one', () => {
    const bare = { ...event, property: '', priority: null, value: null, description: '', username: null };
    expect(encodeEvent({ ...target, tags: {} }, { ...bare, place: 2 }).line).toBe(
      'alarm_events,alarm_type=GT,name=level\\ >\\ 90\\ %,object=Pump\\ 1␛5C,place=2,transition=acknowledged started_at="2024-05-01T00:00:00Z" 1714521660000001',
    );
  });

  it('is refused where its names are too long for InfluxDB', () => {
    expect(encodeEvent(target, { ...event, show_name: 'x'.repeat(70_000) }).refused).toMatch(/at most/);
  });
});
