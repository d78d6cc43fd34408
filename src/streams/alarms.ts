import { boolean, description, instant, integer, text } from './columns.ts';
import { type Column, defineStream } from './define.ts';

/**
 * Makes a column of the alarm's key. If the platform does not send the member, the column holds the empty
 * text.
 */
const ofIdentity = (name: string, declared: Omit<Column, 'name' | 'type'>): Column => ({
  ...text(name, declared),
  whenAbsent: '',
});

/** Columns of the alarm's state, which follows from all polls and all reads of history. */
const life: readonly Column[] = [
  integer('twins', {
    source: '#twins',
    meaning: 'Largest number of alarms with this key that one poll or read of history showed.',
    example: '1',
  }),
  boolean('is_active', {
    source: '#life',
    meaning: 'Whether the alarm goes on; null if the platform sends an unknown status.',
    example: 'true',
  }),
  boolean('is_acknowledged', {
    source: '#life',
    meaning: 'Whether the alarm is acknowledged; null if the platform sends an unknown status.',
    example: 'false',
  }),
  instant('shown_at', {
    source: '#life',
    meaning:
      'Time of a poll that showed the alarm; later polls showed it too, until missing_since. Null if no poll ever did.',
    example: '2024-05-01T08:00:05Z',
  }),
  instant('missing_since', {
    source: '#life',
    meaning:
      'Time of the first complete poll in a row without the alarm. Null while polls show the alarm, and once it cleared.',
    example: '2024-05-01T09:00:05Z',
  }),
  instant('cleared_after', {
    source: '#life',
    meaning: 'Time of the last poll that showed the alarm before it cleared.',
    example: '2024-05-01T08:59:55Z',
  }),
  instant('cleared_before', {
    source: '#life',
    meaning:
      'Time of the first of two complete polls in a row without the alarm, or of the first read that showed it as cleared.',
    example: '2024-05-01T09:00:05Z',
  }),
];

/**
 * Alarms from raised to cleared (specification: AlarmCurrentInfo, AlarmHistoryInfo). The stream has no list
 * of its own: polls and history fill it.
 */
export const alarms = defineStream({
  name: 'alarms',
  about: 'Alarms of the platform, one row each, also after they have cleared.',
  operation: 'listAlarmHistory',
  key: ['object', 'property', 'show_name', 'alarm_type', 'started_at'],
  columns: [
    text('object', {
      source: 'sourceObjName',
      meaning: 'Alias of the object that has the alarm; an alarm without an object is a reject.',
      example: 'pump1',
      references: 'objects.name',
    }),
    ofIdentity('property', {
      source: 'sourcePropName',
      meaning: 'Alias of the property that has the alarm.',
      example: 'temp',
    }),
    ofIdentity('show_name', { source: 'showName', meaning: 'Name of the alarm.', example: 'Overheated' }),
    ofIdentity('alarm_type', {
      source: 'alarmType',
      meaning: 'Type of the alarm as the platform names it, such as EQ, LT, LE, GT, GE.',
      example: 'GT',
    }),
    instant('started_at', {
      source: 'startTime',
      meaning: 'When the alarm was raised.',
      example: '2024-05-01T08:00:00Z',
    }),
    text('object_show_name', {
      source: 'sourceObjShowName',
      meaning: 'Name of the object as people read it.',
      example: 'Feed pump 1',
    }),
    text('property_show_name', {
      source: 'sourcePropShowName',
      meaning: 'Name of the property as people read it.',
      example: 'Temperature',
    }),
    description('alarm', 'Limit passed'),
    integer('priority', { source: 'priority', meaning: 'Priority of the alarm, 1 to 10.', example: '5' }),
    text('value', {
      source: 'value',
      meaning: 'Latest value of the alarm, as the platform sent it.',
      example: '93.5',
    }),
    text('status', {
      source: 'status',
      meaning: 'Status as the platform sent it last: 1 is active, 0 is gone.',
      example: '1',
    }),
    text('ack_status', {
      source: 'ackStatus',
      meaning: 'Status of the acknowledgement as the platform sent it last: 1 is acknowledged, 0 is not.',
      example: '0',
    }),
    instant('acknowledged_at', {
      source: 'ackTime',
      meaning: 'When the alarm was acknowledged.',
      example: '2024-05-01T08:10:00Z',
    }),
    text('acknowledged_by', {
      source: 'ackUserName',
      meaning: 'User who acknowledged the alarm.',
      example: 'lina',
      references: 'users.username',
    }),
  ],
  computed: life,
});
