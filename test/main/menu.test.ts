import { describe, expect, test, vi } from 'vitest';
import type { MenuItem } from './electron.ts';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

const { applicationMenu, openTray, syncState } = await import('../../src/main/menu.ts');
const { told } = await import('./electron.ts');

const calm = {
  name: 'first',
  pending: 0,
  conflicts: 0,
  refused: 0,
  running: null,
  last_run: { error: null },
};

describe('the menu', () => {
  const heard: unknown[] = [];
  const actions = {
    openArchive: () => void heard.push('archive'),
    chooseFolder: () => void heard.push('folder'),
    settings: () => void heard.push('settings'),
    docs: () => void heard.push('docs'),
    move: (steps: number) => void heard.push(steps),
  };
  const built = (mac: boolean, more = {}) =>
    (applicationMenu({ ...actions, ...more }, mac) as unknown as { items: MenuItem[] }).items;
  const all = (items: MenuItem[]): MenuItem[] => items.flatMap((item) => [item, ...all(item.submenu ?? [])]);

  test('has the shortcuts of the platform, none of them twice', () => {
    for (const mac of [true, false]) {
      const keys = all(built(mac)).flatMap(({ accelerator }) => accelerator ?? []);
      expect(keys).toEqual(['CmdOrCtrl+O', 'CmdOrCtrl+,', ...(mac ? ['Cmd+[', 'Cmd+]'] : ['Alt+Left', 'Alt+Right'])]);
      const roles = built(mac).flatMap(({ role }) => role ?? []);
      expect(roles).toEqual([...(mac ? ['appMenu'] : []), 'editMenu', 'viewMenu', 'windowMenu', 'help']);
      // Every item has a name, and none is Electron's own.
      expect(all(built(mac)).filter(({ label, type }) => !label && type !== 'separator')).toEqual([]);
      expect(all(built(mac)).filter(({ role }) => role === 'quit')).toHaveLength(1);
    }
  });

  test('does what its items say', () => {
    for (const { click } of all(built(false))) click?.();
    expect(heard).toEqual(['archive', 'folder', 'settings', -1, 1, 'docs']);
  });

  test('speaks the first of the system’s languages that it has', () => {
    const said = (...languages: string[]) => {
      told.languages = languages;
      const { label, submenu } = built(false)[1] ?? {};
      return [label, submenu?.[0]?.label, syncState([{ ...calm, conflicts: 1234 }]).words];
    };
    expect(said('fr-FR', 'de-AT', 'en-GB')).toEqual(['&Bearbeiten', 'Rückgängig', 'Konflikte: 1.234']);
    expect(said('fr-FR')).toEqual(['&Edit', 'Undo', 'Conflicts: 1,234']);
    told.languages = ['en-GB'];
  });

  test('leaves the data folder alone where the environment names it', () => {
    const folder = all(built(false, { chooseFolder: null })).find(({ label }) => label === 'Data Folder…');
    expect(folder?.enabled).toBe(false);
    folder?.click?.();
  });
});

test.each([
  [null, 'The node does not answer', true],
  [[], 'Nothing is synced', false],
  [[calm], 'In sync', false],
  [[calm, { ...calm, pending: 3 }], 'Changes to push: 3', false],
  [[{ ...calm, running: {}, pending: 3 }], 'Syncing', false],
  [[{ ...calm, last_run: { error: 'It does not answer.' } }], 'The last sync with first failed', true],
  [[{ ...calm, refused: 2 }, calm], 'Changes refused: 2', true],
  [
    [
      { ...calm, conflicts: 1, refused: 2 },
      { ...calm, conflicts: 2 },
    ],
    'Conflicts: 3',
    true,
  ],
])('sync stands with %j as: %s', (remotes, words, attention) => {
  expect(syncState(remotes)).toEqual({ words, attention });
});

test('the tray shows how sync stands, and leads to the window', () => {
  const heard: string[] = [];
  const say = openTray({ show: () => void heard.push('show'), quit: () => void heard.push('quit') });
  const tray = told.trays.at(-1);
  say(null, null);
  expect(tray?.tip).toBe('Archeion: The node does not answer');
  expect(tray?.image).toMatch(/tray-attention\.png$/);
  say([calm], 'There is no keyring.');
  expect(tray?.tip).toBe('Archeion: In sync');
  expect(tray?.image).toMatch(/tray\.png$/);
  expect(tray?.menu.map(({ label }) => label)).toEqual([
    'In sync',
    'first: In sync',
    'There is no keyring.',
    undefined,
    'Show Archeion',
    'Quit',
  ]);
  tray?.emit('click');
  for (const { click } of tray?.menu ?? []) click?.();
  expect(heard).toEqual(['show', 'show', 'quit']);
});
