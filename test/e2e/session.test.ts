import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestNode } from '../helpers/node.ts';
import { signInLink, startPageNode } from '../ui/browser.ts';
import { openBrowser, browserThere as there } from '../ui/chromium.ts';

// The built page in a real browser against a real node.

let browser: Browser;
let node: TestNode;
let context: BrowserContext;
let tab: Page;

beforeAll(async () => {
  if (there) browser = await openBrowser();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (!there) return;
  node = await startPageNode();
  context = await browser.newContext();
  tab = await context.newPage();
});
afterEach(async () => {
  await context?.close();
  await node?.[Symbol.asyncDispose]();
});

/** What the page says to who comes: its navigation to the operator, a heading to a stranger. */
async function said(shown: Page = tab): Promise<string | null> {
  const operator = shown.getByRole('navigation');
  const stranger = shown.getByRole('heading', { level: 1 });
  await operator.or(stranger).first().waitFor();
  return (await operator.count()) > 0 ? signedIn : stranger.textContent();
}

function newLink(): string {
  return signInLink(node);
}

const signedIn = 'signed in';

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
  expect(await said(second)).toContain('used already, or is too old');
});

test.skipIf(!there)('without a link the page says how to get one, and takes it while it is shown', async () => {
  await tab.goto(`${node.url}/ui/`);
  expect(await said()).toBe('You are not signed in');
  // The same document: only the fragment changes.
  await tab.evaluate(`location.href = ${JSON.stringify(newLink())}`);
  await tab.getByRole('navigation').waitFor();
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
  expect(await said()).toBe('You are not signed in');
});
