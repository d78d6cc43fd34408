import { text } from './columns.ts';
import { defineStream } from './define.ts';
import { membersOf } from './entries.ts';
import { objectEvents, objectFeatures, objectSubscriptions } from './object-event-parts.ts';
import { objectServiceInputs, objectServices } from './object-service-parts.ts';
import { objects } from './objects.ts';

/**
 * Template, features, events, services and subscriptions of each object (specification: GetObjectDetailInfo).
 */
export const objectDetails = defineStream({
  name: 'object_details',
  about: 'Template, features, events, services and subscriptions of each object.',
  operation: 'getObject',
  parent: { stream: objects, path: { objName: 'name' } },
  updates: true,
  key: ['name'],
  // The properties have a list of their own.
  ignore: [...membersOf(objects), 'properties'],
  columns: [
    text('name', {
      source: 'parent.name',
      meaning: 'Alias of the object, unique on the platform.',
      example: 'pump1',
    }),
    text('template_name', {
      source: 'templateName',
      meaning:
        'Alias of the template that the object is an instance of. It names no row, because the platform lists no templates.',
      example: 'Pump',
    }),
  ],
  parts: [objectFeatures, objectEvents, objectServices, objectServiceInputs, objectSubscriptions],
});
