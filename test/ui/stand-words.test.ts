import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import de from '../../src/renderer/src/messages/de.json' with { type: 'json' };
import en from '../../src/renderer/src/messages/en.json' with { type: 'json' };
import { type Messages, textsOf } from '../../src/renderer/src/messages/translate.ts';
import { didWords, headline, leftWords, standWords, stopWords } from '../../src/renderer/src/views/sync/stand-words.ts';
import type { Remote, Report } from '../../src/renderer/src/views/sync/sync-queries.ts';

// Two hours ago was another day just after midnight.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 4, 12) }));
afterAll(() => void vi.useRealTimers());

const english = textsOf('en-GB', en);
const german = textsOf('de', de as Messages);

const report: Report = {
  ...{ events: 0, entities: 0, versions: 0, created: 0, updated: 0, deleted: 0, restored: 0, refused: 0, merged: 0 },
  ...{ conflicts: 0, troubles: 0, content: { files: 0, bytes: 0, missing: 0 }, sent: { files: 0, bytes: 0 } },
  ...{ lost: null, swept: false, uncatalogued: false, head: 10, stopped: null, stop: null },
};
const hoursAgo = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();

function run(given: Partial<NonNullable<Remote['last_run']>> = {}): NonNullable<Remote['last_run']> {
  return { started_at: hoursAgo(2), ended_at: hoursAgo(2), report, error: null, fault: null, ...given };
}

function remote(given: Partial<Remote>): Remote {
  return {
    ...{ name: 'museum', url: 'https://museum.example', direction: 'both', keyed: true, user: null, instance: null },
    ...{ collections: [], types: [], content: 'tips', watch: false, max_kbps: null, hours: null, words: [] },
    ...{ mirrored: 1200, pending: 0, conflicts: 0, refused: 0, seen: [], lost: [], unread_expire_in_h: 700 },
    ...{ lag: { events: 0, seconds: 0 }, all_read_at: hoursAgo(2), running: null, last_run: run(), next_run_at: null },
    ...{ troubles: {}, unreadable: [], contents: {}, missing_content: [], refusals: [], unlisted: [] },
    ...given,
  };
}

const said = (given: Partial<Remote>, texts = english) =>
  standWords(remote(given), texts, Date.now()).map((it) => it.text);

describe('how things stand with a remote, in the reader’s language', () => {
  test('says the state first, then the rest', () => {
    expect(said({})).toEqual([
      'In step: everything was exchanged 2 hours ago.',
      '1,200 entities are mirrored.',
      'The last sync: nothing new.',
      'Not kept in step by itself: only when you sync.',
    ]);
    expect(said({}, german)).toEqual([
      'Auf gleichem Stand: Alles wurde vor 2 Stunden ausgetauscht.',
      '1.200 Entitäten sind gespiegelt.',
      'Der letzte Abgleich: nichts Neues.',
      'Wird nicht von selbst auf Stand gehalten: nur, wenn Sie abgleichen.',
    ]);
  });

  test.each<[string, Partial<Remote>, string, string]>([
    ['never synced', { last_run: null }, 'look', 'Never synced yet: begin when you like.'],
    ['a sync under way', { running: report, conflicts: 3 }, 'plain', 'A sync is under way.'],
    [
      'what waits for somebody',
      { conflicts: 1, refused: 2, pending: 5 },
      'look',
      'In step but for what waits for you: one conflict, 2 changes that were not taken.',
    ],
    ['what is to be pushed', { pending: 1 }, 'plain', 'One change made here is still to be pushed.'],
    ['what is unread', { lag: { events: 7, seconds: 60 } }, 'plain', '7 of its events are still to be read.'],
  ])('%s', (_, given, tone, text) => {
    expect(headline(remote(given), english)).toEqual({ tone, text });
  });

  test.each(['unreachable', 'denied', 'held', 'other'] as const)(
    'a failure (%s) quotes what was said, in its own words',
    (fault) => {
      const failed = remote({ last_run: run({ error: 'museum.example cannot be read: 500', fault }) });
      expect(headline(failed, english)).toMatchObject({ tone: 'wrong', quote: 'museum.example cannot be read: 500' });
      expect(headline(failed, german).text).toMatch(/vor 2 Stunden/);
    },
  );

  test.each(['other', 'reset', 'deletions', 'changes'] as const)('a run that stopped (%s) says why', (kind) => {
    const counts = kind === 'deletions' || kind === 'changes' ? { count: 60, of: 100 } : {};
    const stopped = run({ report: { ...report, stopped: 'Look at it.', stop: { kind, ...counts } } });
    const { tone, text, quote } = headline(remote({ last_run: stopped }), english);
    expect([tone, quote]).toEqual(['look', 'Look at it.']);
    expect(text).not.toMatch(/[{}]/);
    if ('count' in counts) expect(text).toMatch(/^60 of 100 entities/);
    expect(stopWords({ kind, ...counts }, english)).toBe(text);
  });

  test('watching, limits, troubles and what expires', () => {
    const words = said({
      ...{ watch: true, hours: '22-6', max_kbps: 2000, next_run_at: new Date(Date.now() - 1000).toISOString() },
      ...{ unread_expire_in_h: 5, lost: [{ first: 3, last: 5, swept: false, uncatalogued: false }] },
      ...{ troubles: { forbidden: 1, mismatch: 2 }, contents: { missing: 4 } },
    });
    expect(words).toContain(
      'Kept in step by itself. Only from 22 to 6 o’clock. At most 2,000 kbit/s. The next sync begins now.',
    );
    expect(words).toContain('Unread events begin to expire in 5 hours: sync before that.');
    expect(words).toContain('3 events had expired before they were seen; what they told is still looked for.');
    expect(words).toContain('2 entities came with a wrong hash and were not taken over.');
    expect(words).toContain('4 files are not there; they are asked for again.');
  });

  test('what a remote without a list of its collections may hold unseen', () => {
    const about =
      'The remote does not list its collections: what rested there for longer than its feed tells is not known.';
    expect(said({ lost: [{ first: 1, last: 5, swept: true, uncatalogued: true }] })).toContain(about);
    expect(said({ last_run: run({ report: { ...report, swept: true, uncatalogued: true } }) })).toContain(about);
    expect(said({ lost: [{ first: 1, last: 5, swept: true, uncatalogued: false }] })).not.toContain(about);
    const pushed = { direction: 'push', lost: [{ first: 1, last: 5, swept: true, uncatalogued: true }] } as const;
    expect(said({ ...pushed, lost: [...pushed.lost] })).not.toContain(about);
  });

  test('of a sync under way what is left is said where something is', () => {
    const left = (events: number | null, pending: number) =>
      leftWords(remote({ running: report, lag: { events, seconds: null }, pending }), english);
    expect(left(0, 0)).toEqual([]);
    expect(left(null, 1)).toEqual(['One change is left to push.']);
    expect(left(3, 0)).toEqual(['3 events are left to read.']);
  });

  test('what a sync did is counted by what it was', () => {
    const did = { ...report, versions: 1, updated: 2, content: { files: 3, bytes: 10, missing: 0 } };
    expect(didWords(did, english)).toBe('one version pulled, 2 changed there, 3 files fetched');
    expect(didWords(did, german)).toMatch(/^eine Version geholt, 2 dort geändert.*3 Dateien geholt$/);
  });
});
