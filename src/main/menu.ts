import { fileURLToPath } from 'node:url';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import { type MessageKey, text } from './messages.ts';
import type { RemoteStand } from './node-client.ts';

type Role = MessageKey & MenuItemConstructorOptions['role'];
const roles = {
  appMenu: ['about', null, 'services', null, 'hide', 'hideOthers', 'unhide', null, 'quit'],
  editMenu: ['undo', 'redo', null, 'cut', 'copy', 'paste', 'delete', null, 'selectAll'],
  viewMenu: ['reload', 'toggleDevTools', null, 'resetZoom', 'zoomIn', 'zoomOut', null, 'togglefullscreen'],
  windowMenu: ['minimize', 'zoom'],
} satisfies Record<string, (Role | null)[]>;

/** What the menu does beside what every application's does; the folder is null where the environment names it. */
export interface MenuActions extends Record<'openArchive' | 'settings' | 'docs', () => void> {
  chooseFolder: (() => void) | null;
  /** Along the pages that were seen. */
  move(steps: -1 | 1): void;
}

/** The application's menu, with the shortcuts of the platform. */
export function applicationMenu({ openArchive, chooseFolder, settings, docs, move }: MenuActions, mac: boolean): Menu {
  const file: MenuItemConstructorOptions[] = [
    { label: text('importArchive'), accelerator: 'CmdOrCtrl+O', click: openArchive },
    { label: text('dataFolder'), enabled: chooseFolder !== null, click: () => chooseFolder?.() },
    { label: text('settings'), accelerator: 'CmdOrCtrl+,', click: settings },
    item(null),
    item(mac ? 'close' : 'quit'),
  ];
  const history: MenuItemConstructorOptions[] = [
    { label: text('back'), accelerator: mac ? 'Cmd+[' : 'Alt+Left', click: () => move(-1) },
    { label: text('forward'), accelerator: mac ? 'Cmd+]' : 'Alt+Right', click: () => move(1) },
  ];
  return Menu.buildFromTemplate([
    ...(mac ? [usual('appMenu')] : []),
    { label: text('file'), submenu: file },
    usual('editMenu'),
    usual('viewMenu'),
    { label: text('history'), submenu: history },
    usual('windowMenu', [item(mac ? 'front' : 'close')]),
    { role: 'help', label: text('help'), submenu: [{ label: text('endpoints'), click: docs }] },
  ]);
}

/** One of the menus of every application, its items named in the language of all others. */
function usual(role: keyof typeof roles, more: MenuItemConstructorOptions[] = []): MenuItemConstructorOptions {
  return { role, label: text(role), submenu: [...roles[role].map(item), ...more] };
}

/** One that every application has, or a line between two. */
function item(role: Role | null): MenuItemConstructorOptions {
  return role ? { role, label: text(role) } : { type: 'separator' };
}

/** How things stand with all remotes, in a few words; `attention` where somebody has to look. Null: the node is down. */
export function syncState(remotes: readonly RemoteStand[] | null): { words: string; attention: boolean } {
  if (remotes === null) return { words: text('noAnswer'), attention: true };
  const sum = (of: 'conflicts' | 'refused' | 'pending') => remotes.reduce((all, remote) => all + remote[of], 0);
  const counted = (of: Parameters<typeof sum>[0]) => text(of, { count: sum(of) });
  for (const of of ['conflicts', 'refused'] as const) if (sum(of) > 0) return { words: counted(of), attention: true };
  if (remotes.some(({ running }) => running)) return { words: text('syncing'), attention: false };
  const failed = remotes.find(({ last_run }) => last_run?.error);
  if (failed) return { words: text('syncFailed', { name: failed.name }), attention: true };
  if (sum('pending') > 0) return { words: counted('pending'), attention: false };
  return { words: text(remotes.length > 0 ? 'inSync' : 'noRemotes'), attention: false };
}

/** Puts a mark into the system's bar: the way to the window, and how sync stands, as often as what it gives is called. */
export function openTray(actions: Record<'show' | 'quit', () => void>) {
  const image = (name: 'tray' | 'tray-attention') =>
    nativeImage.createFromPath(fileURLToPath(new URL(`../icons/${name}.png`, import.meta.url)));
  const tray = new Tray(image('tray'));
  tray.on('click', actions.show);
  return (remotes: readonly RemoteStand[] | null, remark: string | null) => {
    const { words, attention } = syncState(remotes);
    tray.setImage(image(attention ? 'tray-attention' : 'tray'));
    tray.setToolTip(`Archeion: ${words}`);
    const each = (remotes ?? []).slice(0, 10).map((remote) => `${remote.name}: ${syncState([remote]).words}`);
    const sentences = [words, ...each, remark ?? []].flat();
    const ways = (['show', 'quit'] as const).map((way) => ({ label: text(way), click: actions[way] }));
    const items = [...sentences.map((label) => ({ label, enabled: false })), item(null), ...ways];
    tray.setContextMenu(Menu.buildFromTemplate(items));
  };
}
