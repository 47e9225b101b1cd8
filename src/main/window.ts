import { fileURLToPath } from 'node:url';
import { BrowserWindow, dialog, type Rectangle, type Session, screen, shell } from 'electron';
import { box } from './messages.ts';
import type { NodeSession } from './node-client.ts';
import type { Settings } from './settings.ts';

const usual = { width: 1280, height: 860 };
const least = { width: 480, height: 360 };
/** So much of the title must be on a display, so that the window can be taken hold of. */
const grip = { width: 120, height: 30 };
/** Pages of the node that are none of the window's. */
const elsewhere = ['/docs', '/openapi.json', '/ops-reference'];

/** Where a window opens: where it was, if that lies in an area that displays show; else in the middle, of usual size. */
export function placed(kept: Rectangle | null, areas: readonly Rectangle[]): Partial<Rectangle> {
  if (kept === null) return usual;
  const area = areas.find(({ x, y, width, height }) => {
    const shared = Math.min(kept.x + kept.width, x + width) - Math.max(kept.x, x);
    return shared >= grip.width && kept.y >= y && kept.y + grip.height <= y + height;
  });
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

/** Gives the window's session the cookie of the node's; no script can read it. */
export async function handOver(session: Session, { url, cookie }: NodeSession): Promise<void> {
  await session.cookies.set({ url, ...cookie, path: '/', httpOnly: true, sameSite: 'strict' });
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
  kept: Settings['window'];
  keep(state: NonNullable<Settings['window']>): void;
  openArchive(path: string): void;
}

/**
 * Opens a window on the node's page. It stays on the node: links to other places open in the system's browser, and what of the page
 * is wanted beside it, in a further window that goes with it.
 */
export function openWindow(wishes: WindowWishes): BrowserWindow {
  const { url, session, kept, keep, openArchive } = wishes;
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...placed(kept?.bounds ?? null, areas),
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
      if (/^file:.*\.car$/is.test(wanted) && !wanted.includes('%00')) openArchive(fileURLToPath(wanted));
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
      const beside = openWindow({ ...wishes, url: wanted.url, kept: null, keep: () => undefined });
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
  window.on('close', () => keep({ bounds: window.getNormalBounds(), maximized: window.isMaximized() }));
  // Where that fails, an event says so, too.
  window.loadURL(url).catch(() => undefined);
  return window;
}
