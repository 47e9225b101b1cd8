import { fileURLToPath } from 'node:url';
import { BrowserWindow, type Display, dialog, type Rectangle, type Session, screen, shell } from 'electron';
import { box } from './messages.ts';
import type { SettingsFile } from './settings.ts';

const usual = { width: 1280, height: 860 };
const least = { width: 480, height: 360 };
/** So much of the title must be on a display, so that the window can be taken hold of. */
const grip = { width: 120, height: 30 };
/** Pages of the node that are none of the window's. */
const elsewhere = ['/docs', '/openapi.json', '/ops-reference'];

/** Where a window opens: where it was, if that lies in an area that displays show; else in the middle, of usual size. */
export function placed(kept: Rectangle | null, displays: readonly Pick<Display, 'workArea'>[]): Partial<Rectangle> {
  if (kept === null) return usual;
  const area = displays.find(({ workArea: { x, y, width, height } }) => {
    const shared = Math.min(kept.x + kept.width, x + width) - Math.max(kept.x, x);
    return shared >= grip.width && kept.y >= y && kept.y + grip.height <= y + height;
  })?.workArea;
  if (!area) return usual;
  const width = Math.max(least.width, Math.min(kept.width, area.width));
  const height = Math.max(least.height, Math.min(kept.height, area.height));
  return { x: kept.x, y: kept.y, width, height };
}

/** Makes a session fit for the window: it reaches the node and nothing else, and may only copy and go full screen. */
export function protect(session: Session, nodeOrigin: () => string): void {
  const granted = ['clipboard-sanitized-write', 'fullscreen'];
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted.includes(permission)));
  session.setPermissionCheckHandler((_contents, permission) => granted.includes(permission));
  // Its dictionaries would be fetched from elsewhere.
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isReachable(url, nodeOrigin()) }));
}

/** The node, the page's own bytes, and what belongs to the browser itself: its tools and its viewer of PDF files. */
export function isReachable(url: string, nodeOrigin: string): boolean {
  const to = URL.parse(url);
  return to !== null && (to.origin === nodeOrigin || ['data:', 'devtools:', 'chrome-extension:'].includes(to.protocol));
}

/** Windows whose page did not come, as where the node was down. */
const empty = new WeakSet<BrowserWindow>();

/** Asks once more for the pages that did not come. */
export function reloadEmpty(): void {
  for (const window of BrowserWindow.getAllWindows()) if (empty.has(window)) window.webContents.reload();
}

export interface WindowWishes {
  url: string;
  session: Session;
  /** Of where the window is; null: it goes with another one, and nothing is kept of it. */
  settings: Pick<SettingsFile, 'current' | 'update'> | null;
  openArchives(path: string): void;
}

/** Opens a window that stays on the node: other links open in the system's browser, its own pages also in windows beside it. */
export function openWindow(wishes: WindowWishes): BrowserWindow {
  const { url, session, settings, openArchives } = wishes;
  const kept = settings?.current.window ?? null;
  const window = new BrowserWindow({
    ...placed(kept?.bounds ?? null, screen.getAllDisplays()),
    minWidth: least.width,
    minHeight: least.height,
    title: 'Archeion',
    icon: fileURLToPath(new URL('../icons/icon.png', import.meta.url)),
    webPreferences: {
      session,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      // Only for PDF files, which Chromium shows in a plugin of its own.
      plugins: true,
      // A file that is dropped where the page does not take it comes as a navigation, below.
      navigateOnDragDrop: true,
    },
  });
  if (kept?.maximized) window.maximize();
  const { origin } = new URL(url);
  const leave = (wanted: string) => {
    if (/^(https?|mailto):/.test(wanted)) void shell.openExternal(wanted);
    try {
      if (/^file:.*\.car$/is.test(wanted) && !wanted.includes('%00')) openArchives(fileURLToPath(wanted));
    } catch {} // The address of another machine's file, or of none.
  };
  window.webContents.on('will-navigate', (event) => {
    const { origin: to, pathname } = URL.canParse(event.url) ? new URL(event.url) : { origin: '', pathname: '' };
    if (to === origin && !elsewhere.includes(pathname)) return;
    event.preventDefault();
    leave(event.url);
  });
  window.webContents.setWindowOpenHandler((wanted) => {
    if (wanted.url.startsWith(`${origin}/ui/`)) {
      const beside = openWindow({ ...wishes, url: wanted.url, settings: null });
      const follow = () => beside.close();
      window.once('closed', follow);
      beside.once('closed', () => window.off('closed', follow));
    } else leave(wanted.url);
    return { action: 'deny' };
  });
  window.webContents.on('will-prevent-unload', (event) => {
    const asked = box('warning', 'unsaved', {}, ['stay', 'leave']);
    if (dialog.showMessageBoxSync(window, asked) === 1) event.preventDefault();
  });
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit' && !window.isDestroyed()) window.webContents.reload();
  });
  window.webContents.on('did-navigate', () => empty.delete(window));
  window.webContents.on('did-fail-load', (_event, _code, words, _url, isPage) => {
    if (isPage && words !== 'ERR_ABORTED') empty.add(window);
  });
  const state = () => ({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  window.on('close', () => settings?.update({ window: state() }));
  window.loadURL(url).catch(() => undefined); // An event says so, too.
  return window;
}
