import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { BrowserWindow, Session } from './electron.ts';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

const { isReachable, openWindow, placed, protect, reloadEmpty } = await import('../../src/main/window.ts');
const { event, Session: StandIn, told } = await import('./electron.ts');

const node = 'http://127.0.0.1:4123';
const desk = { x: 0, y: 0, width: 1920, height: 1050 };
const second = { x: 1920, y: 0, width: 1280, height: 1024 };
const usual = { width: 1280, height: 860 };

beforeEach(() => {
  told.windows.length = 0;
  told.opened.length = 0;
  told.messages.length = 0;
  told.press = {};
});

type Real = Parameters<typeof openWindow>[0];
type Kept = NonNullable<Real['settings']>['current']['window'];

function opened({ kept: window = null, ...wishes }: Partial<Real> & { kept?: Kept } = {}) {
  const dropped: string[] = [];
  const kept: unknown[] = [];
  openWindow({
    url: `${node}/ui/`,
    session: new StandIn() as unknown as Real['session'],
    settings: {
      current: { data: null, window, sealed: null, warned: false },
      update: (part) => kept.push(part.window) > 0,
    },
    openArchives: (path) => void dropped.push(path),
    ...wishes,
  });
  const made = told.windows.at(-1) as BrowserWindow;
  const navigate = (url: string) => {
    const asked = event({ url });
    made.webContents.emit('will-navigate', asked);
    return asked.prevented;
  };
  return { window: made, dropped, kept, navigate };
}

describe('the window', () => {
  test('is a sandbox without Node, in the session that was made for it', () => {
    const session = new StandIn();
    const { window } = opened({ session: session as unknown as Real['session'] });
    expect(window.options.webPreferences).toMatchObject({
      session,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    expect(window.options.webPreferences).not.toHaveProperty('preload');
    expect(window.loaded).toEqual([`${node}/ui/`]);
  });

  test('stays on the node; links open in the system’s browser, and nothing else leaves', () => {
    const { navigate } = opened();
    expect(navigate(`${node}/ui/entities/1`)).toBe(false);
    for (const url of ['https://example.org/', `${node}/docs`, 'http://127.0.0.1:9/', 'mailto:a@example.org'])
      expect(navigate(url)).toBe(true);
    expect(told.opened).toEqual([
      'https://example.org/',
      `${node}/docs`,
      'http://127.0.0.1:9/',
      'mailto:a@example.org',
    ]);
    told.opened.length = 0;
    for (const url of ['javascript:alert(1)', 'smb://host/share', 'vscode://x', 'no address', 'data:text/html,x'])
      expect(navigate(url)).toBe(true);
    expect(told.opened).toEqual([]);
  });

  test('opens no other window', () => {
    const { window } = opened();
    expect(window.webContents.openHandler?.({ url: 'https://example.org/' })).toEqual({ action: 'deny' });
    expect(window.webContents.openHandler?.({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' });
    expect(told.opened).toEqual(['https://example.org/']);
  });

  test('opens another window for what the page wants beside it, in its own session, which goes with it', () => {
    const { window, kept } = opened();
    expect(window.webContents.openHandler?.({ url: `${node}/ui/entities/1` })).toEqual({ action: 'deny' });
    const beside = told.windows.at(-1) as BrowserWindow;
    expect(told.windows).toEqual([window, beside]);
    expect(beside.loaded).toEqual([`${node}/ui/entities/1`]);
    expect(beside.options.webPreferences).toEqual(window.options.webPreferences);
    for (const url of [`${node}/docs`, `${node}/uix`, `blob:${node}/9a`])
      expect(window.webContents.openHandler?.({ url })).toEqual({ action: 'deny' });
    expect(told.opened).toEqual([`${node}/docs`, `${node}/uix`]);
    expect(told.windows.length).toBe(2);
    window.close();
    expect(beside.destroyed).toBe(true);
    // Where the next one opens is where the window itself was.
    expect(kept.length).toBe(1);
  });

  test('keeps nothing of another window that was closed', () => {
    const { window } = opened();
    for (let times = 0; times < 12; times++) {
      window.webContents.openHandler?.({ url: `${node}/ui/entities/1` });
      told.windows.at(-1)?.close();
    }
    expect(window.listenerCount('closed')).toBe(0);
  });

  test('takes an archive that is dropped on it, and no other file', () => {
    const { window, navigate, dropped } = opened();
    expect(navigate('file:///home/ann/our%20works.CAR')).toBe(true);
    window.webContents.openHandler?.({ url: 'file:///home/ann/more.car' });
    expect(navigate('file:///home/ann/page.html')).toBe(true);
    for (const url of [
      'file://host/share/x.car',
      'file:///a%00.car',
      'file:///%zz.car',
      'file:///a%2Fb.car',
      'file:///.car?x',
    ])
      expect(navigate(url)).toBe(true);
    expect(dropped).toEqual(['/home/ann/our works.CAR', '/home/ann/more.car']);
    expect(told.opened).toEqual([]);
  });

  test('asks before something unsaved is left, and stays unless it is told to', () => {
    const { window } = opened();
    const asked = event();
    window.webContents.emit('will-prevent-unload', asked);
    expect(asked.prevented).toBe(false);
    told.press = { 'Something is not saved': 1 };
    window.webContents.emit('will-prevent-unload', asked);
    expect(asked.prevented).toBe(true);
  });

  test('shows the page again when its process is gone', () => {
    const { window } = opened();
    window.webContents.emit('render-process-gone', event(), { reason: 'clean-exit' });
    expect(window.webContents.reloads).toBe(0);
    window.webContents.emit('render-process-gone', event(), { reason: 'oom' });
    expect(window.webContents.reloads).toBe(1);
  });

  test('asks once more for a page that did not come, and for no other', () => {
    const { window } = opened();
    const { window: closed } = opened();
    const failed = (words: string, isPage: boolean) =>
      window.webContents.emit('did-fail-load', event(), -1, words, `${node}/ui/`, isPage);
    failed('ERR_ABORTED', true);
    failed('ERR_CONNECTION_REFUSED', false);
    reloadEmpty();
    expect(window.webContents.reloads).toBe(0);
    failed('ERR_CONNECTION_REFUSED', true);
    closed.webContents.emit('did-fail-load', event(), -102, 'ERR_CONNECTION_REFUSED', `${node}/ui/`, true);
    closed.close();
    reloadEmpty();
    expect([window.webContents.reloads, closed.webContents.reloads]).toEqual([1, 0]);
    window.webContents.emit('did-navigate', event(), `${node}/ui/`);
    reloadEmpty();
    expect(window.webContents.reloads).toBe(1);
  });

  test('remembers where it was', () => {
    const bounds = { x: 100, y: 50, width: 1000, height: 700 };
    const { window, kept } = opened({ kept: { bounds, maximized: true } });
    expect(window.options).toMatchObject(bounds);
    expect(window.maximized).toBe(true);
    window.close();
    expect(kept).toEqual([{ bounds: window.getNormalBounds(), maximized: true }]);
  });
});

test.each([
  [null, [desk], usual],
  [{ x: 100, y: 50, width: 1000, height: 700 }, [desk], { x: 100, y: 50, width: 1000, height: 700 }],
  // On a display that is no longer there.
  [{ x: 2000, y: 50, width: 1000, height: 700 }, [desk], usual],
  [{ x: 2000, y: 50, width: 1000, height: 700 }, [desk, second], { x: 2000, y: 50, width: 1000, height: 700 }],
  // Half beside it is what a user may want; out of reach is not.
  [{ x: -800, y: 0, width: 1000, height: 700 }, [desk], { x: -800, y: 0, width: 1000, height: 700 }],
  [{ x: -950, y: 0, width: 1000, height: 700 }, [desk], usual],
  [{ x: 0, y: -400, width: 1000, height: 700 }, [desk], usual],
  [{ x: 0, y: 1040, width: 1000, height: 700 }, [desk], usual],
  // Larger than the display, and too small to use.
  [{ x: 0, y: 0, width: 9000, height: 9000 }, [desk], { x: 0, y: 0, width: 1920, height: 1050 }],
  [{ x: 0, y: 0, width: 200, height: -5 }, [desk], { x: 0, y: 0, width: 480, height: 360 }],
  [{ x: 0, y: 0, width: 1000, height: 700 }, [], usual],
])('a window that was at %j opens on %j at %j', (kept, areas, expected) => {
  expect(
    placed(
      kept,
      areas.map((workArea) => ({ workArea })),
    ),
  ).toEqual(expected);
});

describe('the window’s session', () => {
  test('reaches the node and nothing else', () => {
    const session = new StandIn() as Session;
    protect(session as unknown as Real['session'], () => node);
    const cancels = (url: string) => {
      let cancelled: boolean | undefined;
      session.before?.({ url }, ({ cancel }) => {
        cancelled = cancel;
      });
      return cancelled;
    };
    expect(cancels(`${node}/entities`)).toBe(false);
    expect(cancels('https://example.org/pixel.gif')).toBe(true);
    expect(cancels('http://127.0.0.1:4124/')).toBe(true);
    expect(session.spelling).toBe(false);
  });

  test.each([
    ['file:///etc/passwd', false],
    ['http://127.0.0.1:4123.example.org/', false],
    ['http://user@127.0.0.1:4123/', true],
    [`blob:${node}/9a`, true],
    ['blob:https://example.org/9a', false],
    ['data:image/png;base64,AA', true],
    ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html', true],
    ['nothing', false],
  ])('may load %s: %s', (url, allowed) => {
    expect(isReachable(url, node)).toBe(allowed);
  });

  test('may copy and go full screen, no more', () => {
    const session = new StandIn() as Session;
    protect(session as unknown as Real['session'], () => node);
    const asked = ['clipboard-sanitized-write', 'fullscreen', 'clipboard-read', 'media', 'geolocation', 'openExternal'];
    const granted = asked.filter((permission) => session.check?.(null, permission));
    expect(granted).toEqual(['clipboard-sanitized-write', 'fullscreen']);
    const answers: string[] = [];
    for (const permission of asked)
      session.request?.(null, permission, (yes) => void (yes && answers.push(permission)));
    expect(answers).toEqual(granted);
  });
});
