import { BrowserWindow, shell } from 'electron';

/**
 * Opens the one window on the node's page, which exchanges the token for its session. It stays on the node: other
 * addresses open in the system's browser.
 */
export function openWindow(nodeUrl: string, token: string): void {
  const window = new BrowserWindow({
    width: 1280,
    height: 860,
    title: 'Archeion',
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  const { origin } = new URL(nodeUrl);
  window.webContents.on('will-navigate', (event) => {
    if (URL.canParse(event.url) && new URL(event.url).origin === origin) return;
    event.preventDefault();
    openOutside(event.url);
  });
  window.webContents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  window.webContents.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  void window.loadURL(new URL(`/ui/#token=${token}`, nodeUrl).href);
}

export function focusWindow(): void {
  const [window] = BrowserWindow.getAllWindows();
  if (window?.isMinimized()) window.restore();
  window?.focus();
}

function openOutside(url: string): void {
  if (/^https?:\/\//.test(url)) void shell.openExternal(url);
}
