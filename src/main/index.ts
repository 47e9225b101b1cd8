import { join } from 'node:path';
import { argv, cwd, env, platform } from 'node:process';
import { app, BrowserWindow, dialog, Menu, powerMonitor, session, shell } from 'electron';
import { archivesIn, importArchive } from './archives.ts';
import { applicationMenu, type MenuActions, openTray } from './menu.ts';
import { box, type MessageKey, text } from './messages.ts';
import { type NodeSession, readRemotes, signIn } from './node-client.ts';
import { keepNode, startServer } from './server-process.ts';
import { openSettings, type Seal, sealKey } from './settings.ts';
import { openWindow, protect, reloadEmpty } from './window.ts';

// Beside the node's own folder, which has the same name on macOS.
if (!app.commandLine.hasSwitch('user-data-dir'))
  app.setPath('userData', join(app.getPath('appData'), 'Archeion Desktop'));
/** Archives that wait for the node, or for those before them. */
const waiting: string[] = archivesIn(argv.slice(1), cwd());
let importing = false;
let settings: ReturnType<typeof openSettings>;
let node: NodeSession | null = null;
let window: BrowserWindow | null = null;
let tray: ReturnType<typeof openTray> | null = null;
let seal: Seal = { key: null, lack: 'unsealed' };

const keeper = keepNode({
  start: (port) => startServer({ port, data: settings.current.data, sealKey: seal.key }),
  async ready(url, token) {
    const before = { node, window };
    node = await signIn(url, token);
    await pageSession().cookies.set({ url: node.url, ...node.cookie, path: '/', httpOnly: true, sameSite: 'strict' });
    // At the same address the page goes on where it was, with all that was typed, and its window stays as it is.
    if (before.node?.url !== node.url) {
      window = null;
      show();
      // Afterwards: without any window the program ends.
      before.window?.destroy();
    }
    reloadEmpty();
    void importWaiting();
    void look(node);
  },
  down: () => tray?.(null, null),
  gaveUp: (words) => void gaveUp(words),
});
// In memory alone: what the page leaves is gone when the program ends.
const pageSession = () => session.fromPartition('archeion');
const ask = async (...words: Parameters<typeof box>) => (await dialog.showMessageBox(box(...words))).response;

async function start(): Promise<void> {
  await app.whenReady();
  settings = openSettings(join(app.getPath('userData'), 'desktop.json'));
  protect(pageSession(), () => node?.url ?? '');
  const actions: MenuActions = {
    openArchive: async () => {
      const filters = [{ name: text('archives'), extensions: ['car', 'zip'] }];
      for (const path of (await dialog.showOpenDialog({ filters })).filePaths) openArchives(path);
    },
    chooseFolder: env.ARCHEION_DATA ? null : () => void chooseFolder(),
    docs: () => node && void shell.openExternal(`${node.url}/docs`),
    settings: () => node && void (BrowserWindow.getFocusedWindow() ?? window)?.loadURL(`${node.url}/ui/settings`),
    move: (steps) => (BrowserWindow.getFocusedWindow() ?? window)?.webContents.navigationHistory.goToOffset(steps),
  };
  Menu.setApplicationMenu(applicationMenu(actions, platform === 'darwin'));
  tray = openTray({ show, quit: () => app.quit() });
  tray(null, null);
  powerMonitor.on('shutdown', () => app.quit());
  if (settings.aside) await ask('warning', 'settingsLost', { path: settings.aside });
  seal = await sealKey(settings, platform);
  keeper.start();
  if (seal.lack === null || (seal.lack === 'unsealed' && settings.current.warned)) return;
  if (seal.lack === 'unsealed') settings.update({ warned: true });
  await ask('info', seal.lack);
}

function show(): void {
  if (window?.isMinimized()) window.restore();
  window?.show();
  if (!window && node) {
    const made = openWindow({ url: `${node.url}/ui/`, session: pageSession(), settings, openArchives });
    made.once('closed', () => {
      if (window === made) window = null;
    });
    window = made;
  }
  void importWaiting();
}

/** Keeps the tray's words right, for as long as this node runs. */
async function look(asked: NodeSession): Promise<void> {
  if (asked !== node) return;
  const remotes = await readRemotes(asked).catch(() => null);
  tray?.(remotes, seal.lack && text(seal.lack));
  setTimeout(() => void look(asked), 10_000);
}

function openArchives(...paths: string[]): void {
  waiting.push(...paths);
  show();
}

async function importWaiting(): Promise<void> {
  if (importing) return;
  importing = true;
  while (window && node && waiting.length > 0)
    await importArchive(window, node, waiting.shift() ?? '').catch((error) => console.error(error));
  importing = false;
}

/** Opens another data folder, with a node of its own. */
async function chooseFolder(): Promise<boolean> {
  const [data] = (await dialog.showOpenDialog({ properties: ['openDirectory', 'createDirectory'] })).filePaths;
  if (data === undefined) return false;
  if ((await ask('question', 'folderAsked', { data }, ['open', 'cancel'], 1)) !== 0) return false;
  settings.update({ data });
  await keeper.stop();
  keeper.start(0);
  return true;
}

async function gaveUp(words: string): Promise<void> {
  const ways: MessageKey[] = env.ARCHEION_DATA ? ['tryAgain', 'quit'] : ['tryAgain', 'otherFolder', 'quit'];
  const way = ways[await ask('error', 'notRunning', { words }, ways, ways.length - 1)];
  if (way === 'quit') app.quit();
  else if (way === 'tryAgain') keeper.start();
  else if (!(await chooseFolder())) await gaveUp(words);
}

if (app.requestSingleInstanceLock()) {
  // macOS sends this before it is ready, too.
  app.on('open-file', (event, path) => {
    event.preventDefault();
    openArchives(path);
  });
  app.on('second-instance', (_event, args, folder) => openArchives(...archivesIn(args.slice(1), folder)));
  app.on('activate', show);
  app.on('window-all-closed', () => platform !== 'darwin' && app.quit());
  // The windows have closed by now, so nothing unsaved is left; what remains is to wait for the node.
  app.on('will-quit', (event) => {
    event.preventDefault();
    node = null;
    void keeper.stop().then(() => app.exit(0));
  });
  start().catch((error: unknown) => {
    dialog.showErrorBox('Archeion', text('notStarted', { words: String(error) }));
    app.exit(1);
  });
} else app.quit();
