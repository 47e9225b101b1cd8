import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { env } from 'node:process';
import type { AxeResults, RunOptions } from 'axe-core';
import { type Browser, type BrowserContextOptions, errors, type Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { type StartOptions, startNode, type TestNode } from '../helpers/node.ts';
import { browserThere, built, openBrowser } from './chromium.ts';

// The built page in a real browser, against a real node.

/** Where the screenshots go; `out` is not committed. Where nobody looks at them none are made: they cost a sixth of each look. */
const pictures = env.CI ? null : resolve(import.meta.dirname, '../../out/screenshots');
/** A journey takes a while, the more so on a busy machine. */
const patience = 360_000;

/** One for all the files that a process runs; it ends with that. */
let browser: Browser | undefined;

/** Tests in that browser; skipped where there is none. */
export function describePage(name: string, tests: () => void): void {
  describe.skipIf(!browserThere)(name, { timeout: patience }, () => {
    beforeAll(async () => {
      if (!browser?.isConnected()) browser = await openBrowser();
    });
    tests();
  });
}

/** What is handed to it in a test, or before one, is disposed of after the test, the last first. */
export function tidiedAfterEach(): <T extends AsyncDisposable>(thing: T) => T {
  let things = new AsyncDisposableStack();
  afterEach(async ({ task }) => {
    const these = things;
    things = new AsyncDisposableStack();
    if (task.result?.state === 'fail') await tellWhatIsShown();
    await these.disposeAsync();
  });
  return (thing) => things.use(thing);
}

/** What a test saw that failed: where nobody can look, its log has to say. */
async function tellWhatIsShown(): Promise<void> {
  for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) {
    const text = await page.locator('body').innerText({ timeout: 2000 }).catch(String);
    console.error(`${page.url()}\n${text.slice(0, 4000)}`);
  }
}

/**
 * Where the last node of a page was, and whether one is there. What a browser has from an origin it has read and compiled: where
 * the next node is there, its page is loaded for less than half as much.
 */
const origin = { port: 0, taken: false };

/** A node that serves the built page; where it can, at the port of the one before, if that one is gone. */
export async function startPageNode({ env, ...options }: StartOptions = {}): Promise<TestNode> {
  if (env?.ARCHEION_PORT || origin.taken) return startNode({ ui: built, env, ...options });
  origin.taken = true;
  const at = (port: number) => startNode({ ui: built, env: { ...env, ARCHEION_PORT: String(port) }, ...options });
  // Something else may have come to be there meanwhile.
  const elsewhere = async () => at(await freePort());
  const node = await (origin.port === 0 ? elsewhere() : at(origin.port).catch(elsewhere));
  origin.port = Number(new URL(node.url).port);
  return {
    ...node,
    [Symbol.asyncDispose]: async () => {
      await node[Symbol.asyncDispose]();
      origin.taken = false;
    },
  };
}

/** A link that signs a browser in. */
export function signInLink(node: TestNode): string {
  return node.ctx.sessions.issueLink(node.url).url;
}

/** A tab of a browser of its own, and what went wrong in it. */
export interface Visit extends AsyncDisposable {
  page: Page;
  /** Errors that the page did not catch, and what its Content-Security-Policy refused. */
  faults: string[];
  /** Goes to a screen, by its address below `/ui`, as a link does where the page is there already. */
  go(path: string): Promise<void>;
  /** Loads the page anew at the address of a screen, as an address does that somebody has typed. */
  load(path: string): Promise<void>;
}

const usual: BrowserContextOptions = {
  locale: 'en-GB',
  timezoneId: 'UTC',
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
};

/** `options`: what its window has that is not usual; that one is of this visit alone. */
export async function visit(node: TestNode, options?: BrowserContextOptions): Promise<Visit> {
  const page = await openWindow(options);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  const load = async (path: string) => void (await page.goto(`${node.url}/ui${path}`));
  return {
    page,
    faults,
    // To load the page takes a second of the processor, each time.
    go: (path) => (isShown(page, node.url) ? follow(page, `/ui${path}`) : load(path)),
    load,
    [Symbol.asyncDispose]: () => (options ? page.context().close() : leaveWindow(page, node.url)),
  };
}

/** Of the page's origin, and not the page. */
const besideOf = (url: string) => `${url}/ui/icon.svg`;

function isShown(page: Page, url: string): boolean {
  return page.url().startsWith(`${url}/ui`) && page.url() !== besideOf(url);
}

/** A usual window that nobody looks at. To open one takes a quarter of what a visit takes. */
let spare: Page | undefined;

async function openWindow(options?: BrowserContextOptions): Promise<Page> {
  if (!browser) throw new Error('No browser is open here: put the test into describePage.');
  if (!options && spare && !spare.isClosed()) {
    const page = spare;
    spare = undefined;
    return page;
  }
  const context = await browser.newContext({ ...usual, ...options });
  const page = await context.newPage();
  // Nothing takes that long but on a machine with much else to do.
  page.setDefaultTimeout(40_000);
  return page;
}

/**
 * Leaves a window to the next visit as it was at first, or closes it. Where it can it stays with the origin of its node, as the
 * browser would begin another process for the next page.
 */
async function leaveWindow(page: Page, url: string): Promise<void> {
  const context = page.context();
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const event of ['pageerror', 'console', 'dialog', 'filechooser', 'request'] as const)
      page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(besideOf(url)).catch(() => page.goto('about:blank'));
    if (page.url().startsWith(url)) await page.evaluate('sessionStorage.clear()');
    await context.clearCookies();
    await context.clearPermissions();
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  } catch {
    await context.close();
    return;
  }
  if (spare && !spare.isClosed()) await context.close();
  else spare = page;
}

/** Within the page to another address, as its links do, until that is shown. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(`self.__TSR_ROUTER__.history.push(${JSON.stringify(address)})`);
  await arrived(page, address);
}

async function arrived(page: Page, address: string): Promise<void> {
  await page.evaluate(`(async () => {
    const router = self.__TSR_ROUTER__;
    const there = ({ status, resolvedLocation }) =>
      status === 'idle' && resolvedLocation?.state.__TSR_key === router.history.location.state.__TSR_key;
    for (let waits = 0; !there(router.state); waits++) {
      if (waits > 1000) throw new Error('The page did not go to ' + ${JSON.stringify(address)});
      await new Promise((done) => setTimeout(done, 20));
    }
  })()`);
}

/** A visit of the operator. */
export async function signedIn(node: TestNode, options?: BrowserContextOptions): Promise<Visit> {
  const visited = await visit(node, options);
  await signIn(visited.page, node);
  return visited;
}

/**
 * A visit of the operator, whom the first screen that is gone to signs in: that the page draws another one before takes a third
 * of what it takes to come there.
 */
export async function comingIn(node: TestNode, options?: BrowserContextOptions): Promise<Visit> {
  const visited = await visit(node, options);
  let isIn = false;
  const first = (otherwise: (path: string) => Promise<void>) => async (path: string) => {
    if (isIn) return otherwise(path);
    isIn = true;
    await signIn(visited.page, node, path);
  };
  return { ...visited, go: first(visited.go), load: first(visited.load) };
}

/** By a link; the page exchanges it after it is loaded, so where it goes on before that it is not signed in. */
export async function signIn(page: Page, node: TestNode, path = '/'): Promise<void> {
  const { hash } = new URL(signInLink(node));
  await page.goto(`${node.url}/ui${path}${hash}`);
  // A dialog that the path opens hides all else from assistive technology.
  await page.getByRole('navigation', { includeHidden: true }).first().waitFor();
  await arrived(page, path);
}

/** Asks a page to close, does not leave it when it asks, and gives the kind of that question. */
export async function askToClose(page: Page): Promise<string> {
  for (let left = 2; ; left--) {
    const asked = page.waitForEvent('dialog', { timeout: 15_000 }).catch((error: unknown) => {
      // A browser that is on its way elsewhere still drops the wish.
      if (left === 0) throw error;
    });
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    if (!dialog) continue;
    await dialog.dismiss();
    // Until the browser knows that the page stays, it may drop where the page is sent next.
    await page.evaluate('new Promise((done) => setTimeout(done))');
    return dialog.type();
  }
}

/** What a test of one screen begins with. */
export interface Scene {
  node: TestNode;
  visitor: Visit;
  page: Page;
}

/** Before each test a node of its own, and a tab of its operator there, empty until the test goes to a screen; both are gone after it. */
export function onNewPage(ready: (scene: Scene) => void): void {
  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    const node = tidied(await startPageNode());
    const visitor = tidied(await comingIn(node));
    ready({ node, visitor, page: visitor.page });
  });
}

/** What a screen is looked at in beside the usual: at 200 % zoom a window has half as much room. */
const looks: { name: string; width: number; height: number; language: 'en' | 'de' }[] = [
  { name: 'german-zoomed', width: 640, height: 400, language: 'de' },
  ...(env.ARCHEION_LOOKS === 'all'
    ? ([
        { name: 'zoomed', width: 640, height: 400, language: 'en' },
        { name: 'german', width: 1280, height: 800, language: 'de' },
        { name: 'narrow', width: 900, height: 800, language: 'en' },
        { name: 'wide', width: 1600, height: 1000, language: 'en' },
      ] as const)
    : []),
];

/**
 * Looks at what a screen shows, light and dark: a picture of it, and no serious fault of accessibility; then in German
 * at 200 % zoom: a picture of it, and nothing cut off at the sides. `ARCHEION_LOOKS=all` makes pictures of more windows.
 * What a change of the window or the language would close, or a node that is gone could not give, stays as it is. The colours
 * of a screen that is `known` are looked at where it shows other data.
 */
export async function lookAt(page: Page, name: string, { asItIs = false, known = false } = {}): Promise<void> {
  // A page whose node is away asks again and again.
  if (!asItIs) await silent(page);
  for (const colorScheme of known ? (['light'] as const) : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await settled(page);
    await picture(page, `${name}-${colorScheme}`);
    // All but the colours is the same in the dark.
    const asked = colorScheme === 'dark' ? 'colours' : known ? 'all but colours' : 'everything';
    let found = await seriousFaults(page, asked);
    // On a busy machine a colour may be on its way still; what is a fault stays one.
    for (let again = 0; again < 3 && found.length > 0; again++) {
      await page.waitForTimeout(1000);
      found = await seriousFaults(page, asked);
    }
    expect(found.map((fault) => `${name}, ${colorScheme}: ${fault}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const usual = page.viewportSize();
  const spoken = (await page.locator('html').getAttribute('lang')) ?? 'en';
  for (const { name: look, language, ...size } of asItIs ? [] : looks) {
    await page.setViewportSize(size);
    await speak(page, language);
    await picture(page, `${name}-${look}`);
    expect.soft(await page.evaluate(cutOff), `${name}, ${look}: what is cut off at the sides`).toEqual([]);
  }
  if (usual) await page.setViewportSize(usual);
  if (!asItIs) await speak(page, spoken);
}

/**
 * Waits until a page that was loaded has asked for all it needs at first; a page of which that cannot be told is looked at as
 * it is: where requests begin to be held back while others are under way, the browser may lose count of them.
 */
async function silent(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch((error: unknown) => {
    if (!(error instanceof errors.TimeoutError)) throw error;
  });
}

/** A picture of a screen that is looked at elsewhere: it costs nothing where none are made. */
export async function pictureOf(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  await silent(page);
  await settled(page);
  await picture(page, name);
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: resolve(pictures, `${name}.png`) });
}

/** What checks accessibility within a page. */
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The whole page is gone through for each of these, and what they find is never serious. */
const slight = ['landmark-one-main', 'landmark-unique', 'region'];
/** What is looked for in the dark alone. */
const colours = 'color-contrast';

/** Of accessibility, by name, with what has them. */
async function seriousFaults(page: Page, asked: 'everything' | 'colours' | 'all but colours'): Promise<string[]> {
  // A page that is looked at more than once has read it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await readFile(axe, 'utf8'));
  const options: RunOptions = {
    ...{ resultTypes: ['violations'], selectors: false, preload: false },
    ...(asked === 'colours'
      ? { runOnly: { type: 'rule', values: [colours] } }
      : { rules: off(asked === 'everything' ? slight : [colours, ...slight]) }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

function off(rules: string[]): RunOptions['rules'] {
  return Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));
}

async function settled(page: Page): Promise<void> {
  // Colours come in a moment after the setting; what never ends, as a spinner, is not waited for.
  await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    const ends = (it) => it.effect.getComputedTiming().endTime !== Infinity;
    // What inherits a colour begins to change when that has.
    for (let round = 0, left; round < 10 && (left = document.getAnimations().filter(ends)).length > 0; round++) {
      await Promise.allSettled(left.map((it) => it.finished));
      await frame();
      await frame();
    }
  })()`);
}

/** As if the language had been chosen in another tab; all else stays as it was chosen. */
async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate(`
    const [, chosen = ''] = /archeion_page=([^;]*)/.exec(document.cookie) ?? [];
    const values = new URLSearchParams(decodeURIComponent(chosen));
    values.set('language', '${language}');
    document.cookie = 'archeion_page=' + encodeURIComponent(values) + '; Path=/ui; SameSite=Strict';
    window.dispatchEvent(new Event('focus'));`);
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' });
  await settled(page);
}

/** Runs in the page: what reaches beyond its sides, and beyond no part that scrolls or cuts off with dots. */
const cutOff = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0 || (box.right <= innerWidth + 1 && box.left >= -1)) return [];
  const style = getComputedStyle(element);
  if (style.visibility === 'hidden' || box.width <= 1) return [];
  for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
    const { overflowX } = getComputedStyle(above);
    if (/auto|scroll/.test(overflowX) && above.id !== 'content') return [];
    if (overflowX !== 'visible' && above.getBoundingClientRect().right <= innerWidth + 1 && above.id !== 'content')
      return [];
  }
  return [element.outerHTML.slice(0, 160)];
})`;
