import { fileURLToPath } from 'node:url';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { RemoteStand } from './node-client.ts';

/** What the menu does beside what every application's does; the folder is null where the environment names it. */
export interface MenuActions extends Record<'openArchive' | 'settings' | 'docs', () => void> {
  chooseFolder: (() => void) | null;
  /** Along the pages that were seen. */
  move(steps: -1 | 1): void;
}

/** The application's menu, with the shortcuts of the platform. */
export function applicationMenu({ openArchive, chooseFolder, settings, docs, move }: MenuActions, mac: boolean): Menu {
  const file: MenuItemConstructorOptions[] = [
    { label: 'Import Archive…', accelerator: 'CmdOrCtrl+O', click: openArchive },
    { label: 'Data Folder…', enabled: chooseFolder !== null, click: () => chooseFolder?.() },
    { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: settings },
    { type: 'separator' },
    { role: mac ? 'close' : 'quit' },
  ];
  const history: MenuItemConstructorOptions[] = [
    { label: 'Back', accelerator: mac ? 'Cmd+[' : 'Alt+Left', click: () => move(-1) },
    { label: 'Forward', accelerator: mac ? 'Cmd+]' : 'Alt+Right', click: () => move(1) },
  ];
  return Menu.buildFromTemplate([
    ...(mac ? [{ role: 'appMenu' as const }] : []),
    { label: '&File', submenu: file },
    { role: 'editMenu' },
    { role: 'viewMenu' },
    { label: '&History', submenu: history },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ label: 'Endpoints of This Node', click: docs }] },
  ]);
}

/** How things stand with all remotes, in a few words; `attention` where somebody has to look. Null: the node is down. */
export function syncState(remotes: readonly RemoteStand[] | null): { words: string; attention: boolean } {
  if (remotes === null) return { words: 'The node does not answer', attention: true };
  const sum = (of: 'conflicts' | 'refused' | 'pending') => remotes.reduce((all, remote) => all + remote[of], 0);
  if (sum('conflicts') > 0) return { words: `Conflicts: ${sum('conflicts')}`, attention: true };
  if (sum('refused') > 0) return { words: `Changes refused: ${sum('refused')}`, attention: true };
  if (remotes.some(({ running }) => running)) return { words: 'Syncing', attention: false };
  const failed = remotes.find(({ last_run }) => last_run?.error);
  if (failed) return { words: `The last sync with ${failed.name} failed`, attention: true };
  if (sum('pending') > 0) return { words: `Changes to push: ${sum('pending')}`, attention: false };
  return { words: remotes.length > 0 ? 'In sync' : 'Nothing is synced', attention: false };
}

/** Puts a mark into the system's bar: the way to the window, and how sync stands, as often as what it gives is called. */
export function openTray(actions: Record<'show' | 'quit', () => void>) {
  const tray = new Tray(image(false));
  tray.on('click', actions.show);
  return (remotes: readonly RemoteStand[] | null, remark: string | null) => {
    const { words, attention } = syncState(remotes);
    tray.setImage(image(attention));
    tray.setToolTip(`Archeion: ${words}`);
    const sentences = [words, ...(remotes ?? []).flatMap((remote) => remote.words).slice(0, 10), remark ?? []].flat();
    tray.setContextMenu(
      Menu.buildFromTemplate([
        ...sentences.map((label) => ({ label, enabled: false })),
        { type: 'separator' },
        { label: 'Show Archeion', click: actions.show },
        { label: 'Quit', click: actions.quit },
      ]),
    );
  };
}

function image(attention: boolean) {
  const name = attention ? 'tray-attention' : 'tray';
  return nativeImage.createFromPath(fileURLToPath(new URL(`../icons/${name}.png`, import.meta.url)));
}
