import { choice, type Variable } from './variables.ts';

/** At most so many objects are listed. Typing finds the others. */
const MOST_OBJECTS = 500;

/** Templates of all objects with series. Objects without a template are listed as `none`. */
export const templates = (): Variable =>
  choice('template', {
    label: 'Template',
    about: 'Templates of the objects. Objects without a template are under "none".',
    query: `select distinct coalesce(template_name, 'none') as __value from bi.tags order by 1`,
    all: 'every value',
  });

/** Objects of the templates, by show name. Typing searches in show names and aliases. */
export const objects = (): Variable =>
  choice('object', { label: 'Object', about: ABOUT_OBJECTS, query: OBJECTS });

/**
 * Like `objects`, and "All" stands for every object of a view, also for those that the list does not show.
 * The queries choose the template by themselves.
 */
export const allObjects = (view: 'bi.tags' | 'bi.alarm_facts'): Variable =>
  choice('object', {
    label: 'Object',
    about: ABOUT_OBJECTS,
    query: OBJECTS,
    all: { sql: `select object from ${view}` },
  });

const ABOUT_OBJECTS = `Objects by show name. Type to search; at most ${MOST_OBJECTS} are listed.`;
const OBJECTS = `
  select object as __value,
    object_name || case when count(*) over (partition by object_name) > 1 then ' (' || object || ')' else '' end
      as __text
  from (
    select distinct object, object_name from bi.tags
    where coalesce(template_name, 'none') in ($template)
      and (object_name ilike '%$__searchFilter' or object ilike '%$__searchFilter')
    order by object_name, object
    limit ${MOST_OBJECTS}
  ) as found
  order by object_name, object`;

/** Properties that objects of the templates have. `order` is SQL that says which come first. */
export const properties = (order = '2'): Variable =>
  choice('property', {
    label: 'Property',
    about: 'Properties of the chosen objects, by show name.',
    query: `
      select property as __value, min(property_name) as __text
      from bi.tags
      where object in ($object)
      group by property
      order by ${order}`,
  });

export const stores = (): Variable =>
  choice('store', {
    label: 'Store',
    about: 'Stores that plantsync fills.',
    query: `select distinct store as __value from bi.coverage order by 1`,
    all: 'every value',
  });
