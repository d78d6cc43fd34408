import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { UsageError } from '../../src/errors.ts';
import { streams } from '../../src/streams/index.ts';

const platform = { baseUrl: 'https://p.example', appId: 'app', secret: 's3cret' };
const load = (sections: object, env: NodeJS.ProcessEnv = {}): Promise<Config> =>
  loadConfig({ path: false, env, overrides: { platform, ...sections } });

async function problemsOf(settings: object, env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const error = await load({ streams: settings }, env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).problems;
}

const filterOf = async (stream: string, filter: object) =>
  (await load({ streams: { [stream]: { filter } } })).streams[stream]?.filter;

describe('the settings of streams', () => {
  it('are there for every list, and for details with the list that they complete', async () => {
    const { streams: settings } = await load({});
    const lists = streams.filter(({ updates }) => !updates);
    expect(Object.keys(settings)).toEqual(lists.map(({ name }) => name));
    const completed = streams.filter(({ updates }) => updates).map(({ parent }) => parent?.stream.name);
    const withDetails = lists.filter(({ name }) => settings[name]?.details !== undefined);
    expect(withDetails.map(({ name }) => name)).toEqual(completed);
  });

  it('read everything by default: each list every hour, details every day, no filter but those that add', async () => {
    const { streams: settings } = await load({});
    for (const each of Object.values(settings))
      expect(each).toMatchObject({ enabled: true, schedule: { everyMs: 3_600_000 }, keepRaw: false });
    expect(settings.persons).toMatchObject({
      filter: { includeOrgs: true },
      details: { enabled: true, everyMs: 86_400_000 },
    });
    expect(settings.objects?.filter).toEqual({});
    expect(settings.networks?.filter).toEqual({});
  });

  it.each(['off', false, 'no', { enabled: 0 }])('switch details off by %j, and the list not', async (off) => {
    const { streams: settings } = await load({ streams: { objects: { details: off } } });
    expect(settings.objects).toMatchObject({ enabled: true, details: { enabled: false } });
  });

  it('take filters of each kind, and fill in the defaults of the others', async () => {
    expect(await filterOf('persons', { hasAccount: 'no', showName: '李娜' })).toEqual({
      hasAccount: false,
      includeOrgs: true,
      showName: '李娜',
    });
    expect(await filterOf('persons', { includeOrgs: false })).toEqual({ includeOrgs: false });
  });

  it('take a list of texts in one order, without doubles, and a single text as a list', async () => {
    expect(await filterOf('objects', { modelLabels: ['line1', 'a', 'line1'] })).toEqual({
      modelLabels: ['a', 'line1'],
    });
    expect(await filterOf('network_nodes', { templateName: 'Pump' })).toEqual({ templateName: ['Pump'] });
  });

  it.each([
    ['objects', { templateNam: 'Pump' }, 'templateNam: unknown key; did you mean templateName?'],
    [
      'persons',
      { keyword: 'a' },
      'keyword: unknown key; known here: hasAccount, includeOrgs, name, showName',
    ],
    ['persons', { hasAccount: 'some' }, 'hasAccount: "some" is neither true nor false'],
    ['users', { keyword: '' }, 'keyword: empty: leave it out for no filter'],
    ['users', { keyword: 12 }, 'keyword: must be text; put it in quotes'],
    ['users', { keyword: ['a'] }, 'keyword: must be text; put it in quotes'],
    [
      'objects',
      { modelLabels: [] },
      'modelLabels: [] is neither a text nor a list of texts (numbers in quotes); leave it out for no filter',
    ],
    [
      'objects',
      { modelLabels: ['a', 1] },
      'modelLabels: ["a",1] is neither a text nor a list of texts (numbers in quotes); leave it out for no filter',
    ],
  ])('refuse the filter of %s %j', async (stream, filter, problem) => {
    expect(await problemsOf({ [stream]: { filter } })).toEqual([`streams.${stream}.filter.${problem}`]);
  });

  it('say where a filter belongs that stands beside its map', async () => {
    expect(await problemsOf({ objects: { templateName: 'Pump' } })).toEqual([
      'streams.objects.templateName: unknown key; did you mean streams.objects.filter.templateName?',
    ]);
  });

  it('come from the environment too, a list as YAML and a single text as it is', async () => {
    const { streams: settings, limits } = await load(
      {},
      {
        PLANTSYNC_STREAMS__OBJECTS__FILTER__TEMPLATE_NAME: 'Pump: "big"',
        PLANTSYNC_STREAMS__OBJECTS__FILTER__MODEL_LABELS: '[b, a]',
        PLANTSYNC_STREAMS__OBJECT_PROPERTIES__FILTER__MODEL_LABELS: 'line: 1',
        PLANTSYNC_STREAMS__PERSONS__FILTER: '{ hasAccount: true }',
        PLANTSYNC_STREAMS__PERSONS__KEEP_RAW: 'yes',
        PLANTSYNC_STREAMS__USERS__DETAILS: 'off',
        PLANTSYNC_STREAMS__ORG_NODES__DETAILS__EVERY: '12h',
        PLANTSYNC_LIMITS__MAX_DELETE_SHARE: '0.25',
      },
    );
    expect(settings.objects?.filter).toEqual({ modelLabels: ['a', 'b'], templateName: 'Pump: "big"' });
    expect(settings.object_properties?.filter).toEqual({ modelLabels: ['line: 1'] });
    expect(settings.persons).toMatchObject({
      keepRaw: true,
      filter: { hasAccount: true, includeOrgs: true },
    });
    expect(settings.users?.details?.enabled).toBe(false);
    expect(settings.org_nodes?.details).toEqual({ enabled: true, everyMs: 43_200_000 });
    expect(limits.maxDeleteShare).toBe(0.25);
  });

  it('name the variable that was meant where one names no filter', async () => {
    const env = { PLANTSYNC_STREAMS__OBJECTS__FILTER__TEMPLATENAME: 'Pump' };
    expect(await problemsOf({}, env)).toEqual([
      expect.stringMatching(/did you mean PLANTSYNC_STREAMS__OBJECTS__FILTER__TEMPLATE_NAME\?$/),
    ]);
  });
});

describe('the limits of deleting', () => {
  it.each([
    ['30%', 0.3],
    [0.3, 0.3],
    ['12.5 %', 0.125],
    [0, 0],
    ['0%', 0],
    [1, 1],
    ['100%', 1],
  ])('take the share %j', async (maxDeleteShare, expected) => {
    expect((await load({ limits: { maxDeleteShare } })).limits.maxDeleteShare).toBeCloseTo(expected, 12);
  });

  it('are two scans, 30 %, a week without a comparison, and a year of changes by default', async () => {
    const { limits } = await load({});
    expect(limits).toMatchObject({
      deleteAfterMissing: 2,
      maxDeleteShare: 0.3,
      keepChangesMs: 365 * 86_400_000,
      compareUnchangedMs: 7 * 86_400_000,
    });
  });
});
