import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { inPageWords, ownWords, saidByNode } from '../../src/renderer/src/components/node-words.ts';
import de from '../../src/renderer/src/messages/de.json' with { type: 'json' };
import en from '../../src/renderer/src/messages/en.json' with { type: 'json' };
import { type Messages, textsOf } from '../../src/renderer/src/messages/translate.ts';

const root = new URL('../../src/renderer/src/', import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
const code = files.map((path) => readFileSync(new URL(path, root), 'utf8')).join('\n');
const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the page', () => {
  test('are the same in every language, with the same places, and in order', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en));
    expect(Object.keys(en)).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(en)) {
      const other = (de as Messages)[key as keyof typeof en];
      expect(other.trim(), key).not.toBe('');
      if (!key.endsWith('_one')) expect(places(other), key).toEqual(places(text));
    }
  });

  test('call in German one thing by one word, where two were near at hand', () => {
    // Typ, Kennung, zurückziehen, Recht, Adresse, Verlauf; what is saved is no backup, which alone is “gesichert”.
    const others = /\bI[dD]\b(?!\))|[Ww]iderruf|Berechtigung|Endpunkt(?!e)|Geschichte|\bArten\b|[Ss]icher(?:n|t)\b/;
    const wrong = Object.entries(de).filter(([key, text]) => others.test(text) && !key.startsWith('backup.'));
    expect(wrong).toEqual([]);
  });

  test('have a form for one wherever they count', () => {
    // A number before a word in the plural; `{most}` is a limit, which is never one.
    const counting = /\{(?:number|count|all|total|moves|done|shown|of|skipped)\} (?:\w+ )?[a-z]{2,}s\b/;
    const counts = Object.entries(en).filter(([, text]) => counting.test(text));
    const hasOne = (key: string) => key.endsWith('_other') && Object.hasOwn(en, key.replace(/other$/, 'one'));
    expect(counts.map(([key]) => key).filter((key) => !hasOne(key))).toEqual([]);
    expect(counts.length).toBeGreaterThan(40);
  });

  test('say what a failure means in whole sentences, since in some places nothing follows them', () => {
    for (const language of [en, de]) {
      const meanings = Object.entries(language).filter(([key]) => key.startsWith('failure.'));
      expect(meanings.filter(([, text]) => !text.endsWith('.'))).toEqual([]);
      expect(meanings.length).toBeGreaterThan(10);
    }
  });

  test('get a value for each of their places, and no other value', () => {
    const call = /\bt\(\s*(['`])([^'`]*)\1\s*(?:\)|,\s*(?:\)|\{([^{}]*)\}))/g;
    const texts = Object.entries(en).map(([key, text]) => ({
      names: [key, key.replace(/_(one|other)$/, '')],
      places: places(text),
    }));
    const wrong: string[] = [];
    let calls = 0;
    for (const [all, quote, name = '', values = ''] of code.matchAll(call)) {
      // A name that is put together may be that of several texts, of which each has some of the places.
      const [start = '', end = ''] = name.split(/\$\{.*\}/s);
      const isIt = (key: string) => (quote === '`' ? key.startsWith(start) && key.endsWith(end) : key === name);
      const wanted = new Set(texts.filter(({ names }) => names.some(isIt)).flatMap((text) => text.places));
      const given = values.replaceAll(/\([^()]*\)/g, '').match(/(?<=^|,)\s*\w+(?=\s*(?::|,|$))/g) ?? [];
      const has = new Set(given.map((one) => `{${one.trim()}}`));
      calls++;
      if (quote !== '`' && [...wanted].some((place) => !has.has(place))) wrong.push(all);
      if ([...has].some((place) => place !== '{count}' && !wanted.has(place))) wrong.push(all);
    }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(1000);
  });

  test('stand for the sentences of the node that people meet most often, as it writes them', () => {
    const server = new URL('../../src/server/', import.meta.url);
    const paths = readdirSync(server, { recursive: true, encoding: 'utf8' });
    const written = paths
      .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
      .map((path) => readFileSync(new URL(path, server), 'utf8'))
      .join('\n');
    const [what, why, then] = ['503: /srv/a: b', 'it is gone', 'a number'];
    for (const name of Object.keys(saidByNode) as (keyof typeof saidByNode)[]) {
      const said: string = saidByNode[name];
      expect(said.split('…').filter((part) => !written.includes(part.trim()))).toEqual([]);
      const found = inPageWords(said.replace('…', what).replace('…', why).replace('…', then));
      expect([found?.key, places(en[`said.${name}`])]).toEqual([
        `said.${name}`,
        ['{what}', '{why}', '{then}'].slice(0, said.split('…').length - 1).sort(),
      ]);
    }
    expect(inPageWords('a.example does not accept it: Unauthorized: no key')?.values).toEqual({
      what: 'a.example',
      why: 'Unauthorized: no key',
      then: '',
    });
    expect(inPageWords('must be a text')).toBeNull();
    const { t } = textsOf('de', de);
    expect([
      ownWords(t, 'b, c.csv, line 4: does not have as many cells (1) as the header has columns (2)'),
      ownWords(t, 'a.json, element 2: "born" is "c. 1800", which is not a number'),
      ownWords(t, 'a.csv, line 2: "size" is "[1e400]", which is not JSON that can be kept exactly'),
      ownWords(t, 'a.json, element 2'),
      ownWords(t, 'a.json, element 2: is odd'),
      ownWords(
        t,
        'a.json, line 2: a record of kind "work" has no usable id (a text of 1 to 1,000 characters, or a number)',
      ),
      ownWords(t, 'The command ink ended with code 3. It said last: no ink: left'),
      ownWords(t, 'the processor wrote no log before its permissions ended (it was not sent)'),
      ownWords(t, 'the processor answered 404 with text/html instead of JSON'),
      ownWords(t, 'the processor answered more than 65536 bytes'),
    ]).toEqual([
      'b, c.csv, Zeile 4: hat nicht so viele Zellen (1), wie die Kopfzeile Spalten hat (2)',
      'a.json, Element 2: „born“ ist „c. 1800“; erwartet wird eine Zahl',
      'a.csv, Zeile 2: „size“ ist „[1e400]“; erwartet wird JSON, das sich genau behalten lässt',
      'a.json, Element 2',
      null,
      'a.json, Zeile 2: ein Datensatz der Art „work“ hat keine brauchbare Kennung (ein Text von 1 bis 1.000 Zeichen oder eine Zahl)',
      'Der Befehl ink endete mit Code 3. Zuletzt sagte er: no ink: left',
      'Der Prozessor schrieb kein Protokoll, bevor seine Rechte endeten (er wurde nicht gesendet).',
      'der Prozessor antwortete 404 mit text/html statt mit JSON',
      null,
    ]);
  });

  test('are all used', () => {
    // A name that is put together counts by its beginning: `failure.${kind}`.
    const open = [...code.matchAll(/`([a-z][A-Za-z.]*\.)\$\{/g)].map(([, start]) => start ?? '');
    const unused = Object.keys(en)
      .map((key) => key.replace(/_(one|other)$/, ''))
      .filter((key) => !code.includes(`'${key}'`) && !code.includes(`"${key}"`))
      .filter((key) => !open.some((start) => key.startsWith(start)));
    expect(unused).toEqual([]);
  });

  test('say numbers, dates and plurals as the language does', () => {
    const [english, german] = [textsOf('en-GB', en), textsOf('de', de)];
    expect(english.t('start.entities', { count: 1, number: '1' })).toBe('One entity');
    expect(german.t('start.entities', { count: 89368, number: german.number(89368) })).toBe('89.368 Entitäten');
    const day = new Date('2026-03-04T12:00:00Z');
    expect([english.date(day), german.date(day)]).toEqual(['4 Mar 2026', '04.03.2026']);
    expect([english.bytes(1234567), german.bytes(1234567), english.bytes(1)]).toEqual(['1.2 MB', '1,2 MB', '1 byte']);
    expect([0, 59, 3600, 90061].map(english.duration)).toEqual(['0 seconds', '59 seconds', '1 hour', '1 day 1 hour']);
    expect(german.duration(125)).toBe('2 Minuten 5 Sekunden');
    expect(english.parts('session.how')).toEqual(['Run ', { place: 'command' }, expect.stringMatching(/^ on the/)]);
  });

  test('make a formatter for each unit once: it takes milliseconds, and a list has thousands of sizes', () => {
    const english = textsOf('en-GB', en);
    const made = vi.spyOn(Intl, 'NumberFormat');
    try {
      expect([1200, 2300, 4_500_000].map(english.bytes)).toEqual(['1.2 kB', '2.3 kB', '4.5 MB']);
      expect([1, 2].map(english.duration)).toEqual(['1 second', '2 seconds']);
      expect(made).toHaveBeenCalledTimes(3);
    } finally {
      made.mockRestore();
    }
  });

  test('count days by the calendar, and hours of the same day alone', () => {
    const [english, german] = [textsOf('en-GB', en), textsOf('de', de)];
    /** How long ago the one hour of the 4th of March is at another of a day of that month. */
    const said = (then: string, day: number, at: string) => {
      const moment = (day: number, time: string) =>
        new Date(2026, 2, day, ...(time.split(':').map(Number) as [number, number]));
      vi.setSystemTime(moment(day, at));
      return english.ago(moment(4, then));
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      expect(said('00:30', 4, '23:30')).toBe('23 hours ago');
      expect(said('23:00', 5, '10:00')).toBe('yesterday');
      expect(said('23:00', 6, '05:00')).toBe('2 days ago');
      expect(said('23:50', 5, '00:10')).toBe('20 minutes ago');
      expect(said('22:00', 4, '08:00')).toBe('in 14 hours');
      expect(said('01:00', 3, '20:00')).toBe('tomorrow');
      expect(said('09:00', 28, '07:00')).toBe('24 days ago');
      expect(german.ago(new Date(2026, 2, 26, 23))).toBe('vorgestern');
    } finally {
      vi.useRealTimers();
    }
  });
});
