import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

// Stands in for the module `electron`, whose program cannot be had everywhere: what src/main calls, by the names and
// shapes of electron.d.ts, with a record of how it was called. Tests put `electron` in its place with `vi.mock`.

/** An event whose default can be prevented. */
export function event<T extends object>(more?: T) {
  const made = { prevented: false };
  const preventDefault = () => {
    made.prevented = true;
  };
  return Object.assign(made, { preventDefault }, more);
}

interface ForkOptions {
  env: Record<string, string | undefined>;
  stdio: string[];
  serviceName: string;
}

export class Child extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly posted: unknown[] = [];
  killed = false;
  readonly path: string;
  readonly args: string[];
  readonly options: ForkOptions;
  constructor(path: string, args: string[], options: ForkOptions) {
    super();
    this.path = path;
    this.args = args;
    this.options = options;
  }
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
  kill(): boolean {
    this.killed = true;
    return true;
  }
}

type Handler = (...args: never[]) => unknown;

export class WebContents extends EventEmitter {
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  reloads = 0;
  offsets: number[] = [];
  readonly navigationHistory = { goToOffset: (offset: number) => void this.offsets.push(offset) };
  setWindowOpenHandler(handler: WebContents['openHandler']): void {
    this.openHandler = handler;
  }
  reload(): void {
    this.reloads++;
  }
}

interface Box {
  x?: number;
  y?: number;
  width: number;
  height: number;
}

export class BrowserWindow extends EventEmitter {
  static focused: BrowserWindow | null = null;
  static getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.focused;
  }
  static getAllWindows(): BrowserWindow[] {
    return told.windows.filter(({ destroyed }) => !destroyed);
  }
  readonly webContents = new WebContents();
  readonly loaded: string[] = [];
  readonly progress: number[] = [];
  readonly done: string[] = [];
  readonly options: Box & { webPreferences: Record<string, unknown> };
  destroyed = false;
  maximized = false;
  minimized = false;
  constructor(options: BrowserWindow['options']) {
    super();
    this.options = options;
    told.windows.push(this);
  }
  async loadURL(url: string): Promise<void> {
    this.loaded.push(url);
  }
  maximize(): void {
    this.maximized = true;
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  isMinimized(): boolean {
    return this.minimized;
  }
  restore(): void {
    this.done.push('restore');
  }
  show(): void {
    this.done.push('show');
  }
  getNormalBounds(): Box {
    return { x: 10, y: 20, width: 900, height: 700 };
  }
  setProgressBar(share: number): void {
    this.progress.push(share);
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
  /** As a user does. */
  close(): void {
    this.emit('close', event());
    this.destroy();
  }
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('closed');
    if (told.windows.every(({ destroyed }) => destroyed) && !electron.app.quitting)
      electron.app.emit('window-all-closed');
  }
}

export class Session {
  readonly jar: { url: string; name: string; value: string; httpOnly: boolean; sameSite: string }[] = [];
  readonly cookies = { set: async (cookie: Session['jar'][number]) => void this.jar.push(cookie) };
  request: ((contents: null, permission: string, answer: (granted: boolean) => void) => void) | null = null;
  check: ((contents: null, permission: string) => boolean) | null = null;
  before: ((details: { url: string }, answer: (response: { cancel: boolean }) => void) => void) | null = null;
  spelling = true;
  readonly webRequest = {
    onBeforeRequest: (listener: Session['before']) => {
      this.before = listener;
    },
  };
  setPermissionRequestHandler(handler: Session['request']): void {
    this.request = handler;
  }
  setPermissionCheckHandler(handler: Session['check']): void {
    this.check = handler;
  }
  setSpellCheckerEnabled(enabled: boolean): void {
    this.spelling = enabled;
  }
}

export interface MenuItem {
  label?: string;
  role?: string;
  type?: string;
  enabled?: boolean;
  accelerator?: string;
  click?: () => void;
  submenu?: MenuItem[];
}

class Tray extends EventEmitter {
  image: unknown;
  tip = '';
  menu: MenuItem[] = [];
  constructor(image: unknown) {
    super();
    this.image = image;
    told.trays.push(this);
  }
  setImage(image: unknown): void {
    this.image = image;
  }
  setToolTip(tip: string): void {
    this.tip = tip;
  }
  setContextMenu(menu: { items: MenuItem[] }): void {
    this.menu = menu.items;
  }
}

class App extends EventEmitter {
  readonly paths: Record<string, string> = {};
  readonly commandLine = { hasSwitch: (name: string) => name in this.paths };
  locked = true;
  quitting = false;
  exits: number[] = [];
  getPreferredSystemLanguages(): string[] {
    return told.languages;
  }
  getPath(name: string): string {
    return this.paths[name] ?? `/nowhere/${name}`;
  }
  setPath(name: string, path: string): void {
    this.paths[name] = path;
  }
  requestSingleInstanceLock(): boolean {
    return this.locked;
  }
  async whenReady(): Promise<void> {}
  /** Windows are asked first, then the program; what the latter prevents goes on. */
  quit(): void {
    this.quitting = true;
    for (const window of told.windows) if (!window.destroyed) window.close();
    const asked = event();
    this.emit('will-quit', asked);
    if (!asked.prevented) this.exits.push(0);
  }
  exit(code: number): void {
    this.exits.push(code);
  }
}

interface Message {
  type?: string;
  message: string;
  detail?: string;
  buttons?: string[];
}

/** What was asked of it since `forget`, and what it answers. */
export const told = {
  children: [] as Child[],
  windows: [] as BrowserWindow[],
  trays: [] as Tray[],
  sessions: new Map<string, Session>(),
  messages: [] as Message[],
  /** Which button is pressed, by the message's beginning; the first one otherwise. */
  press: {} as Record<string, number>,
  chosen: [] as string[],
  opened: [] as string[],
  errors: [] as string[],
  menu: [] as MenuItem[],
  languages: ['en-GB'],
  keyring: { available: true, backend: 'gnome_libsecret', stale: false, broken: false },
  /** How a process is started. */
  fork: (path: string, args: string[], options: ForkOptions): Child => new Child(path, args, options),
};

function answer(message: Message): number {
  told.messages.push(message);
  const found = Object.entries(told.press).find(([beginning]) => message.message.startsWith(beginning));
  return found?.[1] ?? 0;
}

const flipped = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));

export const electron = {
  app: new App(),
  BrowserWindow,
  Tray,
  dialog: {
    showMessageBox: async (...args: [unknown, Message] | [Message]) => ({ response: answer(args.at(-1) as Message) }),
    showMessageBoxSync: (_window: unknown, message: Message) => answer(message),
    showOpenDialog: async () => ({ canceled: told.chosen.length === 0, filePaths: told.chosen }),
    showErrorBox: (_title: string, words: string) => void told.errors.push(words),
  },
  Menu: {
    buildFromTemplate: (items: MenuItem[]) => ({ items }),
    setApplicationMenu: (menu: { items: MenuItem[] }) => {
      told.menu = menu.items;
    },
  },
  nativeImage: { createFromPath: (path: string) => path },
  powerMonitor: new EventEmitter(),
  safeStorage: {
    isAsyncEncryptionAvailable: async () => told.keyring.available,
    getSelectedStorageBackend: () => told.keyring.backend,
    encryptStringAsync: async (text: string) => flipped(Buffer.from(text)),
    async decryptStringAsync(bytes: Buffer) {
      if (told.keyring.broken) throw new Error('The keyring is locked.');
      return { shouldReEncrypt: told.keyring.stale, result: flipped(bytes).toString() };
    },
  },
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1050 } }] },
  session: {
    fromPartition(name: string): Session {
      const found = told.sessions.get(name) ?? new Session();
      told.sessions.set(name, found);
      return found;
    },
  },
  shell: { openExternal: async (url: string) => void told.opened.push(url) },
  utilityProcess: {
    fork(path: string, args: string[], options: ForkOptions): Child {
      const child = told.fork(path, args, options);
      told.children.push(child);
      return child;
    },
  },
} satisfies Record<string, object | Handler>;
