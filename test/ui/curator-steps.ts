import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Hands } from './without-mouse.ts';

// What a curator does on a screen, by keys alone. Each step begins where the one before left off.

/** Chooses a file on the screen of the import, and lets it in as it is proposed. */
export async function importTable(hands: Hands, name: string, text: string, collection: string): Promise<void> {
  const { page, press, type } = hands;
  await press('g', 'i');
  await hands.arrive('Import');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press('o')]);
  await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page
    .getByText(/[\d,]+ records\./)
    .first()
    .waitFor();
  await press('c');
  await page.locator('input:focus').waitFor();
  await press('Control+a');
  await type(collection);
}

/** Opens a collection and waits for its rows. */
export async function openCollection(hands: Hands, label: string): Promise<void> {
  const { page, press } = hands;
  await press('g', 'c');
  await hands.arrive('Collections');
  await page.getByRole('main').getByRole('link', { name: label, exact: true }).waitFor();
  await press('/');
  await hands.type(label);
  // The head of the table, and the one line that is left.
  await expect.poll(() => page.getByRole('main').getByRole('row').count()).toBe(2);
  await press('Enter');
  await hands.arrive(label);
  await page.locator('[aria-rowindex="2"] a').waitFor();
}

/** Filters the table by a label and opens the one row that is left. */
export async function openEntity(hands: Hands, label: string): Promise<void> {
  const { page, press } = hands;
  await press('/');
  await hands.type(label);
  await page.getByText('One entity', { exact: true }).waitFor();
  await page.getByRole('row').getByRole('link', { name: label }).waitFor();
  // The first leaves the box, the second opens the row.
  await press('Enter', 'Enter');
  await hands.arrive(label);
}

const unsaved = ({ page }: Hands) => page.getByText('Not saved', { exact: true });

/** Adds to the first property of an entity. */
export async function addToLabel(hands: Hands, more: string): Promise<void> {
  const { page, press } = hands;
  await press('e');
  await page.locator('#content input:focus, #content textarea:focus').waitFor();
  await press('End');
  await hands.type(more);
  await unsaved(hands).waitFor();
}

export async function relate(hands: Hands, peer: string): Promise<void> {
  const { page, press } = hands;
  // Out of the field, so that letters are shortcuts.
  await press('Escape', 'r');
  await page.locator('[role="combobox"]:focus').waitFor();
  await hands.type(peer);
  await page.getByRole('option', { name: peer }).waitFor();
  await press('Enter');
  await page.getByRole('button', { name: `Remove ${peer}` }).waitFor();
}

export async function save(hands: Hands): Promise<void> {
  await hands.press('Control+s');
  await unsaved(hands).waitFor({ state: 'detached' });
  await hands.press('Escape');
}

/** Makes a remote known that is not watched, and syncs with it once. */
export async function mirror(hands: Hands, { url, key, name }: Record<'url' | 'key' | 'name', string>): Promise<void> {
  const { page, press, type, reach } = hands;
  await press('g', 'y');
  await hands.arrive('Sync');
  await press('n');
  const dialog = page.getByRole('dialog', { name: 'Add a remote' });
  await reach(dialog.getByRole('textbox', { name: 'Address' }));
  await type(url);
  await press('Tab');
  await type(key);
  await press('Tab', 'Control+a');
  await type(name);
  const watch = dialog.getByRole('checkbox');
  await reach(watch);
  if (await watch.isChecked()) await press('Space');
  await hands.act(dialog.getByRole('button', { name: 'Add a remote' }));
  await hands.arrive(name);
  await syncNow(hands, /In step/);
}

/** On a remote's screen. */
export async function syncNow(hands: Hands, then: RegExp): Promise<void> {
  const stand = hands.page.getByRole('region', { name: 'How things stand' });
  await stand.getByRole('button', { name: /Sync now/ }).waitFor();
  await hands.press('s');
  await stand.getByText(then).first().waitFor();
}

/** Saves what the screen of a collection shows as a bag, and gives its name and bytes. */
export async function exportBag(hands: Hands): Promise<{ name: string; bytes: Buffer }> {
  const { page, press } = hands;
  await press('o');
  await hands.arrive('Export');
  await hands.reach(page.locator('input[type="radio"]:checked').first());
  const bag = page.getByRole('radio', { name: 'Bag (BagIt)' });
  for (let i = 0; i < 6 && !(await bag.isChecked()); i++) await press('ArrowDown');
  const [download] = await Promise.all([page.waitForEvent('download'), press('Control+Enter')]);
  await page.getByText(/^Done, /).waitFor();
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
