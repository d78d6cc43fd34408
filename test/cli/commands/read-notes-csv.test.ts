import { describe, expect, it } from 'vitest';
import { readNotesCsv } from '../../../src/cli/commands/notes/read-notes-csv.ts';
import type { Note } from '../../../src/load/notes/note.ts';

const read = (text: string) => readNotesCsv(new TextEncoder().encode(text));
const note = (object: string, property: string, more: Partial<Note> = {}): Note => ({
  ...{ object, property, unit: null, display_name: null, low: null, high: null, target: null, comment: null },
  ...more,
});

/** Encodes a text as UTF-16 with its mark. */
function utf16(text: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

describe('a file of notes', () => {
  it('is read as Excel writes it: with its mark, semicolons, decimal commas and quotes', () => {
    const text =
      '\ufeffObject;Property;Unit;Display Name;Low;High;Comment\r\n' +
      'pump1;temp;°C;"Lager; ""vorn""";-0,5;85,25;"zwei\r\nZeilen"\r\n' +
      '*;水温;;;;1e3;\r\n;;;;;;\r\n';
    expect(read(text)).toEqual({
      notes: [
        note('pump1', 'temp', {
          ...{ unit: '°C', display_name: 'Lager; "vorn"', low: -0.5, high: 85.25, comment: 'zwei\nZeilen' },
        }),
        note('*', '水温', { high: 1000 }),
      ],
      columns: ['unit', 'display_name', 'low', 'high', 'comment'],
      lines: [3, 4],
      problems: [],
    });
  });

  it('is read with commas, tabs, and a line that names the separator; in UTF-8 and in UTF-16', () => {
    const expected = [note('pump1', 'temp', { target: 1.5 })];
    for (const text of [
      'object,property,target\npump1,temp,1.5\n',
      '"object"\t"property"\t"target"\n"pump1"\t"temp"\t"1,5"',
      'sep=|\r\ntarget|property|object\r\n1.5|temp|pump1\r\n',
      ' object ; property ; target\n pump1 ; temp ; 1.5 ',
    ])
      for (const bytes of [new TextEncoder().encode(text), utf16(text, 'le'), utf16(text, 'be')])
        expect(readNotesCsv(bytes)).toMatchObject({ notes: expected, problems: [] });
  });

  it.each([
    ['', /is empty/],
    ['object,property,unit\n', /no notes below/],
    ['name,kind\na,b\n', /no name of a column is known here, divided by ","/],
    [
      'object,property,dislpay_name\na,b,c\n',
      /line 1: there is no column "dislpay_name"; did you mean display_name\?/,
    ],
    ['object,property,colour\na,b,c\n', /no column "colour"; columns are object, property, unit,/],
    ['object,unit\na,b\n', /line 1: the column property is missing/],
    ['object,property,unit,Unit\na,b,c,d\n', /two columns are called unit/],
    ['object,property\na,b\na,\n', /line 3: property is empty/],
    ['object,property\na,b\nc,d\na,b\n', /line 4: a\.b stands in line 2 already/],
    ['object,property,low\na,b,1,5\n', /line 2: has 4 cells for 3 columns/],
    ['object,property,low,high\na,b,2,1\n', /line 2: low 2 is above high 1/],
    ['object,property,low\na,b,5 bar\n', /line 2: low is "5 bar", which is no number/],
    ['object,property,low\na,b,1e999\n', /which is too large/],
    [
      'object,property,low\na,b,"1,5"\n',
      /low is "1,5", with a decimal comma: divide the cells by semicolons/,
    ],
    ['object;property;low;high\na;b;1,5;1.000\n', /high is "1\.000", while decimals are divided by ","/],
    ['object;property;high\na;b;1.500\n', /high is "1\.500", which has two meanings/],
    ['object\tproperty\thigh\na\tb\t1,500\n', /high is "1,500", which has two meanings/],
    ['object,property\na,"b\n', /line \d: .*[Qq]uote/],
  ])('is refused as a whole: %j', (text, problem) => {
    const { problems } = read(text);
    expect(problems.join('\n')).toMatch(problem);
    expect(problems).toHaveLength(1);
  });

  it('tells all of its problems, each with its line', () => {
    expect(read('object,property,low,high\n,b,1,2\na,,x,y\n').problems).toEqual([
      'line 2: object is empty',
      'line 3: property is empty',
      'line 3: low is "x", which is no number; leave out units, blanks and separators of thousands',
      'line 3: high is "y", which is no number; leave out units, blanks and separators of thousands',
    ]);
  });

  it('has the meaning of a number where another number tells its mark', () => {
    expect(read('object;property;high\na;b;1.500\nc;d;0.25\n').notes.map(({ high }) => high)).toEqual([
      1.5, 0.25,
    ]);
    expect(read('object;property;high\na;b;1,500\n').notes.map(({ high }) => high)).toEqual([1.5]);
    expect(read('object;property;high\na;b;1500\nc;d;-2\n').notes.map(({ high }) => high)).toEqual([
      1500, -2,
    ]);
  });

  it('is refused in an encoding that nobody can be sure of', () => {
    const windows = Buffer.from('object;property;unit\npump1;temp;\xb0C\n', 'latin1');
    expect(readNotesCsv(windows).problems.join()).toMatch(/is not UTF-8: save it again as "CSV UTF-8"/);
    const unmarked = Buffer.from('object;property\npump1;temp\n', 'utf16le');
    expect(readNotesCsv(unmarked).problems.join()).toMatch(/UTF-16 without its mark/);
  });
});
