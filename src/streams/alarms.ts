import { boolean, description, instant, integer, text } from './columns.ts';
import { type Column, defineStream } from './define.ts';

/** A member by which an alarm is told from others: one that the platform does not send is the empty text. */
const ofIdentity = (name: string, declared: Omit<Column, 'name' | 'type'>): Column => ({
  ...text(name, declared),
  whenAbsent: '',
});

/** What follows from all looks at an alarm. */
const life: readonly Column[] = [
  integer('twins', {
    source: '#twins',
    meaning: 'The most alarms with this key that one look showed at once.',
    example: '1',
  }),
  boolean('is_active', {
    source: '#life',
    meaning: 'Whether the alarm goes on; null where the platform sends a status that is not known here.',
    example: 'true',
  }),
  boolean('is_acknowledged', {
    source: '#life',
    meaning: 'Whether it is acknowledged; null where the platform sends a status that is not known here.',
    example: 'false',
  }),
  instant('shown_at', {
    source: '#life',
    meaning: 'A poll that showed the alarm; those after it showed it too. Null if none ever did.',
    example: '2024-05-01T08:00:05Z',
  }),
  instant('missing_since', {
    source: '#life',
    meaning: 'The first of the last complete polls in a row that did not show the alarm.',
    example: '2024-05-01T09:00:05Z',
  }),
  instant('cleared_after', {
    source: '#life',
    meaning: 'The last poll that showed the alarm before it cleared.',
    example: '2024-05-01T08:59:55Z',
  }),
  instant('cleared_before', {
    source: '#life',
    meaning:
      'The first of two complete polls in a row that did not show it; where none looks, the first look that found it cleared.',
    example: '2024-05-01T09:00:05Z',
  }),
];

/** Alarms over their life (specification: AlarmCurrentInfo, AlarmHistoryInfo). It is no list of its own: polls and history fill it. */
export const alarms = defineStream({
  name: 'alarms',
  about: 'Alarms over their life, one row each, also after they have cleared.',
  operation: 'listAlarmHistory',
  key: ['object', 'property', 'show_name', 'alarm_type', 'started_at'],
  columns: [
    text('object', {
      source: 'sourceObjName',
      meaning: 'Alias of the object that the alarm is of; an alarm without one is a reject.',
      example: 'pump1',
      references: 'objects.name',
    }),
    ofIdentity('property', {
      source: 'sourcePropName',
      meaning: 'Alias of the property that the alarm is of.',
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
      meaning: 'Latest value that was seen, as the platform sends it.',
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
      meaning: 'User who acknowledged it.',
      example: 'lina',
      references: 'users.username',
    }),
  ],
  computed: life,
});
