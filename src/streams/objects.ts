import { defineStream } from './define.ts';

/** Object instances: machines, lines, meters, and whatever else the plant models (specification: GetObjectBaseInfo). */
export const objects = defineStream({
  name: 'objects',
  about: 'Object instances of the platform (machines, lines, meters, …), one row each.',
  operation: 'listObjects',
  key: ['name'],
  columns: [
    { name: 'name', type: 'text', source: 'name', meaning: 'Alias of the object, unique on the platform.' },
    { name: 'show_name', type: 'text', source: 'showName', meaning: 'Name of the object as people read it.' },
    { name: 'description', type: 'text', source: 'description', meaning: 'Free description.' },
    { name: 'explain', type: 'text', source: 'explain', meaning: 'Further explanation.' },
    { name: 'code', type: 'text', source: 'code', meaning: 'Code of the object.' },
    { name: 'icon', type: 'text', source: 'icon', meaning: 'Icon that the platform shows for the object.' },
    {
      name: 'range',
      type: 'text',
      source: 'range',
      meaning: 'Range of the object, as the platform states it.',
    },
    {
      name: 'status',
      type: 'boolean',
      source: 'status',
      meaning: 'Status of the object; the platform takes false by default.',
    },
    {
      name: 'value_stream',
      type: 'text',
      source: 'valueStream',
      meaning: 'Value stream that the object belongs to.',
    },
    {
      name: 'model_labels',
      type: 'jsonb',
      source: 'modelLabels',
      meaning: 'Labels that classify the object, a list of texts.',
    },
    {
      name: 'created_at',
      type: 'timestamptz',
      source: 'createTime',
      meaning: 'When the object was made on the platform.',
    },
    { name: 'created_by', type: 'text', source: 'createUsername', meaning: 'User who made the object.' },
  ],
});
