import { boolean, description, instant, label, position, showName, text } from './columns.ts';
import { defineStream } from './define.ts';
import { readValues } from './entries.ts';
import { ownerObject } from './owner-columns.ts';

/**
 * Object instances: machines, lines, meters, and other things that the plant models (specification:
 * GetObjectBaseInfo).
 */
export const objects = defineStream({
  name: 'objects',
  about: 'Object instances of the platform (machines, lines, meters, …), one row each.',
  operation: 'listObjects',
  filters: {
    featureName: {
      kind: 'text',
      meaning: 'Only objects with this feature, also those whose template inherits it.',
    },
    keyword: { kind: 'text', meaning: 'Only objects with this text in name, show name or description.' },
    modelLabels: { kind: 'texts', meaning: 'Only objects with these labels.' },
    objName: { kind: 'text', meaning: 'Only objects whose alias begins with this text.' },
    templateName: {
      kind: 'text',
      meaning:
        'Only objects of this template; without it, all objects except subscription and alarm objects.',
    },
  },
  filled: true,
  key: ['name'],
  columns: [
    text('name', {
      source: 'name',
      meaning: 'Alias of the object, unique on the platform.',
      example: 'pump1',
    }),
    showName('object', 'Feed pump 1'),
    description('object', 'Feeds the boiler'),
    text('explain', {
      source: 'explain',
      meaning: 'Further explanation of the object.',
      example: 'Spare of pump 2',
    }),
    text('code', { source: 'code', meaning: 'Code of the object.', example: '40125' }),
    text('icon', {
      source: 'icon',
      meaning: 'Icon that the platform shows for the object.',
      example: 'icon-4',
    }),
    text('range', {
      source: 'range',
      meaning: 'Range of the object, as the platform states it.',
      example: 'public',
    }),
    boolean('status', {
      source: 'status',
      meaning: 'Status of the object; the platform takes false by default.',
      example: 'true',
    }),
    text('value_stream', {
      source: 'valueStream',
      meaning: 'Value stream that the object belongs to.',
      example: 'default',
    }),
    instant('created_at', {
      source: 'createTime',
      meaning: 'When the object was made on the platform.',
      example: '2019-01-01T08:00:00.000+08:00',
    }),
    text('created_by', { source: 'createUsername', meaning: 'User who made the object.', example: 'admin' }),
  ],
  parts: [
    {
      name: 'object_labels',
      about: 'Labels of the objects, one row each.',
      key: ['object', 'position'],
      from: 'modelLabels',
      entries: readValues('modelLabels'),
      columns: [ownerObject, position('labels of the object'), label('object')],
    },
  ],
});
