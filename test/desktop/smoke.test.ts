import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { env, kill } from 'node:process';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/node.ts';

// The desktop app itself: as it is built, or the packaged one that ARCHEION_DESKTOP names.

const root = resolve(import.meta.dirname, '../..');
const electron = join(root, 'node_modules/electron');
const name = join(electron, 'path.txt');
const executablePath = env.ARCHEION_DESKTOP
  ? resolve(root, env.ARCHEION_DESKTOP)
  : join(electron, 'dist', existsSync(name) ? readFileSync(name, 'utf8') : 'electron');
const there = existsSync(executablePath);
if (!there) {
  const sentence = `There is no Electron at ${executablePath} (node node_modules/electron/install.js), so the app is not started.`;
  if (env.ARCHEION_DESKTOP) throw new Error(sentence);
  console.warn(sentence);
}

describe.skipIf(!there)('the desktop app', { timeout: 180_000 }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let app: ElectronApplication;

  beforeEach(async () => {
    folder = await temporaryFolder();
    app = await open();
  });
  afterEach(async () => {
    await app?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  const data = () => join(folder.path, 'data');
  const nodeFile = () => JSON.parse(readFileSync(join(data(), 'node.json'), 'utf8')) as { pid: number; url: string };

  function open(): Promise<ElectronApplication> {
    return _electron.launch({
      executablePath,
      cwd: root,
      args: [
        ...(env.ARCHEION_DESKTOP ? [] : ['.']),
        `--user-data-dir=${join(folder.path, 'shell')}`,
        '--password-store=basic',
      ],
      env: { ...(env as Record<string, string>), ARCHEION_DATA: data() },
    });
  }

  async function shown(): Promise<Page> {
    const page = await app.firstWindow();
    await page.getByRole('navigation').waitFor({ timeout: 60_000 });
    return page;
  }

  const post = (path: string, body: object) =>
    `fetch('${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '${JSON.stringify(body)}' })
      .then((answer) => answer.status)`;

  test('shows the page signed in and without Node, and keeps what is written there', async () => {
    const page = await shown();
    expect(await page.evaluate('[typeof require, typeof process, typeof module]')).toEqual(Array(3).fill('undefined'));
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate(post('/collections', { label: 'Letters' }))).toBe(201);
    await app.close();
    // The node has closed its store.
    expect(existsSync(join(data(), 'node.json'))).toBe(false);
    app = await open();
    const again = await shown();
    await again.goto(`${new URL(again.url()).origin}/ui/collections`);
    await again.getByText('Letters').first().waitFor();
  });

  test('goes on with what was typed when the node has crashed', async () => {
    const page = await shown();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('searchbox').fill('half a word');
    const { pid, url } = nodeFile();
    kill(pid, 'SIGKILL');
    await expect.poll(() => nodeFile().pid, { timeout: 60_000 }).not.toBe(pid);
    expect(nodeFile().url).toBe(url);
    await expect
      .poll(() => page.evaluate(post('/collections', { label: 'Again' })).catch(() => 0), { timeout: 60_000 })
      .toBe(201);
    expect(await page.getByRole('searchbox').inputValue()).toBe('half a word');
  });

  test('reaches nothing but its node', async () => {
    const page = await shown();
    const reach = (url: string) =>
      page.evaluate(`fetch('${url}', { mode: 'no-cors' }).then(() => 'there', () => 'not')`);
    expect(await reach('http://127.0.0.1:9/')).toBe('not');
    expect(await reach('https://example.org/')).toBe('not');
    const before = page.url();
    await page.evaluate("location.href = 'file:///etc/hosts'");
    await page.evaluate("void window.open('data:text/html,x')");
    expect(page.url()).toBe(before);
    expect(app.windows()).toHaveLength(1);
  });
});
