import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { env } from 'node:process';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
/** The built page. */
export const built = resolve(import.meta.dirname, '../../out/renderer');
const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** Whether there is a browser. Without one the tests are skipped, but not where everything has to be tested. */
export const browserThere = existsSync(executablePath);
if (!browserThere) {
  const sentence = `There is no browser at ${executablePath} (apt-get install chromium), so the page is not tested.`;
  if (env.CI) throw new Error(sentence);
  console.warn(sentence);
}

/** `more`: further options of its command line. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (!existsSync(resolve(built, 'index.html'))) throw new Error('Build the page first: npm run build');
  return chromium.launch({ executablePath, headless: true, args: [...args, ...more] });
}
