import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startNode } from '../helpers/node.ts';
import { readTree } from '../helpers/source-tree.ts';
import type { BrowserWindow, Session } from '../main/electron.ts';

vi.mock('electron', async () => (await import('../main/electron.ts')).electron);

const { openWindow, protect, isReachable } = await import('../../src/main/window.ts');
const { startServer } = await import('../../src/main/server-process.ts');
const { event, Session: StandIn, told } = await import('../main/electron.ts');

// Electron's security checklist (electronjs.org/docs/latest/tutorial/security), point by point, over the shell with what
// stands in for Electron.

const origin = 'http://127.0.0.1:4123';
const sources = readTree(new URL('../../src/main/', import.meta.url));
const code = sources.map((file) => file.code).join('\n');
const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

type Real = Parameters<typeof openWindow>[0];

let window: BrowserWindow;
let session: Session;
beforeEach(() => {
  told.windows.length = 0;
  told.opened.length = 0;
  session = new StandIn();
  protect(session as unknown as Real['session'], () => origin);
  openWindow({
    url: `${origin}/ui/`,
    session: session as unknown as Real['session'],
    settings: null,
    openArchives: () => undefined,
  });
  window = told.windows.at(-1) as BrowserWindow;
});
const preferences = () => window.options.webPreferences;
const leaves = (url: string): boolean => {
  const asked = event({ url });
  window.webContents.emit('will-navigate', asked);
  return asked.prevented;
};
const elsewhere = [
  'https://evil.test/',
  'http://127.0.0.1:4124/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
];

const points: [string, () => void | Promise<void>][] = [
  [
    '1. Only load secure content: the node on this machine, and nothing else over any protocol',
    () => {
      expect(window.loaded).toEqual([`${origin}/ui/`]);
      for (const url of [
        ...elsewhere.slice(0, 3),
        'ws://127.0.0.1:4123/',
        'https://127.0.0.1:4123/',
        'ftp://127.0.0.1/',
      ])
        expect(isReachable(url, origin), url).toBe(false);
    },
  ],
  ['2. No Node.js for remote content', () => expect(preferences()).toMatchObject({ nodeIntegration: false })],
  [
    '2. nor in its workers and frames',
    () => {
      expect(preferences()).not.toHaveProperty('nodeIntegrationInWorker');
      expect(preferences()).not.toHaveProperty('nodeIntegrationInSubFrames');
    },
  ],
  ['3. Context isolation', () => expect(preferences()).toMatchObject({ contextIsolation: true })],
  [
    '4. Process sandboxing',
    () => {
      expect(preferences()).toMatchObject({ sandbox: true });
      expect(code).not.toMatch(/no-sandbox|disable-site-isolation|appendSwitch/);
    },
  ],
  [
    '5. Permission requests are answered, and but for two with no',
    () => {
      const asked = [
        'media',
        'geolocation',
        'notifications',
        'midi',
        'hid',
        'serial',
        'usb',
        'openExternal',
        'clipboard-read',
      ];
      const granted: string[] = [];
      for (const one of [...asked, 'fullscreen'])
        session.request?.(null, one, (yes) => void (yes && granted.push(one)));
      expect(granted).toEqual(['fullscreen']);
      expect(asked.filter((one) => session.check?.(null, one))).toEqual([]);
    },
  ],
  ['6. webSecurity stays on', () => expect(preferences()).not.toHaveProperty('webSecurity')],
  [
    '7. A Content-Security-Policy without scripts that stand in the page',
    async () => {
      await using node = await startNode({ ui: resolve(root, 'src/renderer') });
      const policy = String((await node.fetch('/ui/')).headers['content-security-policy']);
      expect(policy).toContain("default-src 'self'");
      expect(policy).not.toMatch(/script-src[^;]*(?:unsafe|\*|https?:)|unsafe-eval|default-src[^;]*unsafe/);
      for (const part of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
    },
  ],
  ['8. No insecure content', () => expect(preferences()).not.toHaveProperty('allowRunningInsecureContent')],
  ['9. No experimental features', () => expect(preferences()).not.toHaveProperty('experimentalFeatures')],
  ['10. No further Blink features', () => expect(preferences()).not.toHaveProperty('enableBlinkFeatures')],
  ['11. and 12. No webviews', () => expect(preferences()).toMatchObject({ webviewTag: false })],
  [
    '13. Navigation is limited',
    () => {
      for (const url of elsewhere) expect(leaves(url), url).toBe(true);
      expect(leaves(`${origin}/ui/entities/x`)).toBe(false);
    },
  ],
  [
    '14. New windows are limited',
    () => {
      for (const url of elsewhere) expect(window.webContents.openHandler?.({ url })).toEqual({ action: 'deny' });
      expect(told.windows).toHaveLength(1);
      // The shell's own, under the same rules.
      expect(window.webContents.openHandler?.({ url: `${origin}/ui/` })).toEqual({ action: 'deny' });
      const beside = told.windows[1];
      expect(beside?.options.webPreferences).toEqual(window.options.webPreferences);
      beside?.close();
    },
  ],
  [
    '15. Only web and mail addresses are handed to the system',
    () => {
      const odd = [
        'file:///bin/sh',
        'smb://host/x',
        'ms-msdt:/id',
        'vscode://x',
        'javascript:1',
        '\\\\host\\x',
        'HTTP:evil',
        ' https://evil.test',
      ];
      for (const url of [...odd, 'https://example.org/']) leaves(url);
      expect(told.opened).toEqual(['https://example.org/']);
      expect(code).not.toMatch(/openPath|showItemInFolder|child_process/);
    },
  ],
  [
    '16. A current Electron',
    () => {
      const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
      expect(Number(packages['node_modules/electron']?.version.split('.')[0])).toBeGreaterThanOrEqual(45);
    },
  ],
  [
    '17. No messages from pages, so no senders to check',
    () => expect(code).not.toMatch(/ipcMain|MessageChannelMain|webContents\.send/),
  ],
  [
    '18. No page from a file',
    () => {
      expect(code).not.toMatch(/loadFile|registerFileProtocol|protocol\.(?:handle|register)/);
      expect(read('build/electron-builder.yml')).toContain('grantFileProtocolExtraPrivileges: false');
    },
  ],
  [
    '19. Fuses',
    () => {
      const fuses = read('build/electron-builder.yml');
      for (const one of [
        'onlyLoadAppFromAsar: true',
        'runAsNode: false',
        'enableNodeOptionsEnvironmentVariable: false',
      ])
        expect(fuses).toContain(one);
    },
  ],
  [
    '20. No Electron for the page',
    () => {
      expect(preferences()).not.toHaveProperty('preload');
      expect(code).not.toMatch(/contextBridge|executeJavaScript|exposeInMainWorld/);
    },
  ],
];

describe('Electron’s checklist', () => {
  test.each(points)('%s', (_name, check) => check());
});

test('the node of the app listens on this machine alone, and its secrets stand on no command line', () => {
  const server = startServer({ port: 0, data: null, sealKey: 'k'.repeat(43) });
  server.url.catch(() => undefined);
  const child = told.children.at(-1);
  expect(child?.args).toEqual(['serve', '--host', '127.0.0.1', '--port', '0']);
  expect(child?.args.join(' ')).not.toContain(server.token);
});
