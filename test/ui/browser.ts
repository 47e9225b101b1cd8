import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type StartOptions, startNode, type TestNode } from '../helpers/node.ts';
import { built } from './chromium.ts';

// The built page in a real browser, against a real node.

/** Where the screenshots go; `out` is not committed. */
const pictures = resolve(import.meta.dirname, '../../out/screenshots');
/** A journey takes a while, the more so on a busy machine. */
export const patience = 180_000;

/** A node that serves the built page. */
export function startPageNode(options: StartOptions = {}): Promise<TestNode> {
  return startNode({ ui: built, ...options });
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
  /** Goes to a screen, by its address below `/ui`. */
  go(path: string): Promise<void>;
}

export async function visit(browser: Browser, node: TestNode, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const page = await context.newPage();
  // Nothing takes that long but on a machine with much else to do.
  page.setDefaultTimeout(40_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  return {
    page,
    faults,
    go: async (path) => void (await page.goto(`${node.url}/ui${path}`)),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** A visit of the operator. */
export async function signedIn(browser: Browser, node: TestNode, options?: BrowserContextOptions): Promise<Visit> {
  const visited = await visit(browser, node, options);
  await visited.page.goto(signInLink(node));
  await visited.page.getByRole('navigation').waitFor();
  return visited;
}

/** Looks at what a screen shows, light and dark: a picture of it, and no serious fault of accessibility. */
export async function lookAt(page: Page, name: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  await page.waitForLoadState('networkidle');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Colours come in a moment after the setting.
    await page.waitForTimeout(300);
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))',
    );
    await page.screenshot({ path: resolve(pictures, `${name}-${colorScheme}.png`) });
    // All but the colours is the same in the dark.
    const rules = new AxeBuilder({ page });
    if (colorScheme === 'dark') rules.withRules('color-contrast');
    const { violations } = await rules.analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      serious.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    ).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
