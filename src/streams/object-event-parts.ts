import { boolean, description, json, position, text } from './columns.ts';
import type { Part } from './define.ts';
import { readObjects, readValues } from './entries.ts';
import { ownerObject } from './owner-columns.ts';

/** Features that are set on an object. */
export const objectFeatures: Part = {
  name: 'object_features',
  about: 'Features of the objects, one row each.',
  key: ['object', 'position'],
  from: 'features',
  entries: readValues('features'),
  columns: [
    ownerObject,
    position('features of the object'),
    text('feature', { source: '#value', meaning: 'Name of the feature.', example: 'maintainable' }),
  ],
};

/** Events that an object can send (specification: Event). */
export const objectEvents: Part = {
  name: 'object_events',
  about: 'Events that the objects declare, one row for each event of each object.',
  key: ['object', 'event'],
  from: 'events',
  entries: readObjects('events', 'name'),
  columns: [
    ownerObject,
    text('event', {
      source: 'name',
      meaning: 'Name of the event, unique within its object.',
      example: 'overheated',
    }),
    position('events of the object'),
    text('data_struct', {
      source: 'dataStruct',
      meaning: 'Name of the data structure that the event carries.',
      example: 'AlarmData',
    }),
    description('event', 'Temperature above its limit'),
    boolean('override', {
      source: 'override',
      meaning: 'Whether the object overrides its template here.',
      example: 'false',
    }),
    json('model_labels', {
      source: 'modelLabels',
      meaning: 'Labels that classify the event, a list of texts.',
      example: '["safety"]',
    }),
  ],
};

/** Subscriptions of an object to events (specification: Subscription). */
export const objectSubscriptions: Part = {
  name: 'object_subscriptions',
  about: 'Subscriptions of the objects to events, one row for each subscription of each object.',
  key: ['object', 'subscription'],
  from: 'subscriptions',
  entries: readObjects('subscriptions', 'name'),
  columns: [
    ownerObject,
    text('subscription', {
      source: 'name',
      meaning: 'Name of the subscription, unique within its object.',
      example: 'notify',
    }),
    position('subscriptions of the object'),
    text('event', {
      source: 'event',
      meaning: 'Name of the event that is subscribed to.',
      example: 'overheated',
    }),
    text('source', {
      source: 'source',
      meaning: 'Alias of the object that sends the event.',
      example: 'boiler1',
      references: 'objects.name',
    }),
    boolean('enabled', { source: 'enabled', meaning: 'Whether the subscription is on.', example: 'true' }),
    description('subscription', 'Stops the pump when the boiler overheats'),
    text('script', { source: 'script', meaning: 'Code that runs at the event.', example: 'me.stop();' }),
  ],
};
