import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startNode, type TestNode } from '../helpers/node.ts';

// The built page in a real browser against a real node.

const executablePath = '/usr/bin/chromium';
const page = resolve(import.meta.dirname, '../../out/renderer');
const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

const there = existsSync(executablePath);
if (!there) console.warn(`Skipped: there is no browser at ${executablePath} (apt-get install chromium).`);

let browser: Browser;
let node: TestNode;
let context: BrowserContext;
let tab: Page;

beforeAll(async () => {
  if (!there) return;
  if (!existsSync(resolve(page, 'index.html'))) throw new Error('Build the page first: npm run build');
  browser = await chromium.launch({ executablePath, headless: true, args });
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (!there) return;
  node = await startNode({ ui: page });
  context = await browser.newContext();
  tab = await context.newPage();
});
afterEach(async () => {
  await context?.close();
  await node?.[Symbol.asyncDispose]();
});

function said(): Promise<string | null> {
  return tab.locator('#session:not(:empty)').textContent();
}

function newLink(): string {
  return node.ctx.sessions.issueLink(node.url).url;
}

const signedIn = 'You are signed in as the operator.';

test.skipIf(!there)('a link signs the browser in, once, and leaves no trace of its token', async () => {
  const link = newLink();
  await tab.goto(link);
  expect(await said()).toBe(signedIn);
  expect(tab.url()).toBe(`${node.url}/ui/`);
  expect(await tab.evaluate('document.cookie')).toBe('');
  const cookies = await context.cookies();
  expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 })]);

  await tab.reload();
  expect(await said()).toBe(signedIn);

  await using other = await browser.newContext();
  const second = await other.newPage();
  await second.goto(link);
  expect(await second.locator('#session:not(:empty)').textContent()).toContain('used already, or is too old');
});

test.skipIf(!there)('without a link the page says how to get one, and takes it while it is shown', async () => {
  await tab.goto(`${node.url}/ui/`);
  expect(await said()).toContain('“archeion open” prints a link');
  // The same document: only the fragment changes.
  await tab.evaluate(`location.href = ${JSON.stringify(newLink())}`);
  await tab.getByText(signedIn).waitFor();
  expect(tab.url()).toBe(`${node.url}/ui/`);
});

test.skipIf(!there)('the page writes with its session, a page of another port does not', async () => {
  await tab.goto(newLink());
  expect(await said()).toBe(signedIn);
  const own = `fetch('../collections', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ label: 'Letters' }),
  }).then((answer) => answer.status)`;
  expect(await tab.evaluate(own)).toBe(201);

  // Another port is the same site, so the browser sends the cookie; only the Origin header tells them apart.
  await using neighbour = createServer((_request, response) => {
    const form = `<form method="post" enctype="text/plain" action="${node.url}/collections"><input name="a"></form>`;
    response.writeHead(200, { 'Content-Type': 'text/html', Connection: 'close' }).end(form);
  });
  await once(neighbour.listen(0, '127.0.0.1'), 'listening');
  await tab.goto(`http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`);
  const [response] = await Promise.all([
    tab.waitForResponse(`${node.url}/collections`),
    tab.evaluate('document.forms[0].submit()'),
  ]);
  expect(await response.request().headerValue('cookie')).toContain('archeion_');
  expect(response.status()).toBe(403);
});

test.skipIf(!there)('a browser that has signed out is a stranger', async () => {
  await tab.goto(newLink());
  expect(await said()).toBe(signedIn);
  expect(await tab.evaluate("fetch('../node/session', { method: 'DELETE' }).then((answer) => answer.status)")).toBe(
    204,
  );
  expect(await context.cookies()).toEqual([]);
  await tab.reload();
  expect(await said()).toContain('You are not signed in');
});
