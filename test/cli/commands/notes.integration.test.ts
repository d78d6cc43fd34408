import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant, type StubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const head = 'object,property,unit,display_name,low,high,target,comment\n';

let plant: StubPlant;
beforeEach(async () => {
  plant = await makeStubPlant(smallPlant());
});

const run = (...args: string[]) => runCommand(plant.folder, args);

/** Writes a file into the folder of the plant, and imports it. */
function bring(text: string, ...options: string[]) {
  const file = join(plant.folder, 'notes.csv');
  writeFileSync(file, text);
  return run('notes', 'import', file, ...options);
}

const stored = () =>
  plant.databases.rows(
    `select concat_ws(' ', object || '.' || property, unit, display_name, low, high, target, comment)
     from plant.property_notes order by object, property`,
  );

describe('plantsync notes import', () => {
  it('brings the notes of a file, and changes nothing when it comes again', async () => {
    const text = `${head}pump1,temp,°C,Bearing,0,85,40,"as on the plate, left"\n*,level,m,,,,,\n`;
    expect(await bring(text)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 notes: 2 added, 0 changed, 0 deleted, 0 unchanged'),
    });
    const notes = ['*.level m', 'pump1.temp °C Bearing 0 85 40 as on the plate, left'];
    expect(await stored()).toEqual(notes);
    const before = await plant.databases.rows('select xmin::text from plant.property_notes');
    expect((await bring(text)).stdout).toContain('0 added, 0 changed, 0 deleted, 2 unchanged');
    expect(await plant.databases.rows('select xmin::text from plant.property_notes')).toEqual(before);
  });

  it('leaves alone the columns and the notes that the file lacks, unless it is to be the whole', async () => {
    await bring(`${head}pump1,temp,°C,Bearing,0,85,,\npump2,level,m,,,,,\n`);
    expect((await bring('property;object;high\ntemp;pump1;90,5\n', '--json')).stdout).toContain(
      '"changed": 1',
    );
    expect(await stored()).toEqual(['pump1.temp °C Bearing 0 90.5', 'pump2.level m']);
    // A cell without a value takes the value away.
    await bring('object,property,unit,low\npump1,temp,K,\n');
    expect(await stored()).toEqual(['pump1.temp K Bearing 90.5', 'pump2.level m']);
    const whole = 'object,property\npump1,temp\n';
    const dry = await bring(whole, '--delete-missing', '--dry-run');
    expect(dry.stdout).toMatch(/nothing is: 1 note: 0 added, 0 changed, 1 deleted, 1 unchanged/);
    expect(await stored()).toHaveLength(2);
    await bring(whole, '--delete-missing');
    expect(await stored()).toEqual(['pump1.temp K Bearing 90.5']);
  });

  it('comes from stdin where the file is "-"', async () => {
    const stdin = Readable.from([Buffer.from(`${head}pump1,temp,°C,,,,,\n`)]) as NodeJS.ReadStream;
    expect(await runCommand(plant.folder, ['notes', 'import', '-'], { stdin })).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(['pump1.temp °C']);
  });

  it('takes all rows or none, and names the lines that are wrong', async () => {
    const { code, stderr } = await bring(`${head}pump1,temp,°C,,0,85,,\npump1,level,m,,high,,,\n`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/usage\.wrong_notes.*line 3: low is/s),
    });
    expect((await run('notes', 'import', join(plant.folder, 'none.csv'))).stderr).toContain('file.missing');
    await run('migrate');
    await plant.databases.db.query('alter table plant.property_notes add check (high < 100)');
    expect((await bring(`${head}pump1,temp,°C,,0,85,,\npump1,level,m,,,500,,\n`)).code).toBe(1);
    expect(await stored()).toEqual([]);
  });

  it('tells which notes are about no property, and that nothing is known yet', async () => {
    const text = `${head}pump1,temp,°C,,,,,\npump1,tmep,°C,,,,,\n*,temp,,,,,,\n*,level,,,,,,\n`;
    const early = await bring(text, '--dry-run');
    expect(early.stdout.replaceAll('\n', ' ')).toContain('no property is known yet');
    expect((await run('sync', 'objects', 'object_properties')).code).toBe(0);
    const { stdout } = await bring(text);
    expect(stdout.replaceAll('\n', ' ')).toContain(
      '2 notes are about no property that the platform lists: pump1.tmep, *.level',
    );
    expect(JSON.parse((await bring(text, '--json')).stdout)).toEqual({
      ...{ dryRun: false, added: 0, changed: 0, deleted: 0, unchanged: 4, checked: true },
      withoutProperty: [
        { object: 'pump1', property: 'tmep', line: 3 },
        { object: '*', property: 'level', line: 5 },
      ],
    });
  });
});

describe('plantsync notes export and list', () => {
  const awkward = `${head}*,temp,,,,,,\n水泵,a.b,"""q""","a;b, c",-1.5e-7,1e+21,0.1,"two\nlines"\n`;

  it.each(['comma', 'semicolon'])('writes with %s what import takes back unchanged', async (separator) => {
    await bring(awkward);
    const file = join(plant.folder, 'out.csv');
    expect(await run('notes', 'export', '--output', file, '--separator', separator)).toMatchObject({
      ...{ code: 0, stderr: `2 notes in ${file}\n` },
    });
    const again = await run('notes', 'import', file, '--delete-missing');
    expect(again.stdout).toContain('0 added, 0 changed, 0 deleted, 2 unchanged');
    const text = readFileSync(file, 'utf8');
    if (separator === 'comma') expect(text.replaceAll('\r\n', '\n')).toBe(awkward);
    else expect(text).toMatch(/^\ufeffobject;property;[\s\S]*;-1,5e-7;1e\+21;0,1;/);
    const { stdout } = await run('notes', 'export', '--separator', separator);
    expect(stdout).toBe(text);
    expect((await run('notes', 'export', '--json')).code).toBe(2);
  });

  it('shows the notes that match, with the number of properties that each is about', async () => {
    expect((await run('notes')).stdout).toContain('there are no notes');
    await run('sync', 'objects', 'object_properties');
    await bring(`${head}pump1,temp,°C,Bearing,0,85,40,c\n*,temp,K,,,,,\npump9,temp,K,,,,,\n`);
    const { stdout } = await run('notes', 'list', '--object', 'pump*');
    expect(stdout).toMatch(/pump1 +temp +°C +Bearing +0 +85 +40 +c +1/);
    expect(stdout).toContain('1 note is about no property that the platform lists: pump9.temp');
    expect(stdout).not.toContain('*');
    const { notes } = JSON.parse((await run('notes', '--json')).stdout);
    expect(
      notes.map((each: { object: string; properties: number }) => [each.object, each.properties]),
    ).toEqual([
      ['*', 1],
      ['pump1', 1],
      ['pump9', 0],
    ]);
    expect((await run('notes', 'list', '--property', 'x')).stdout).toContain('none of 3 notes matches');
  });
});
