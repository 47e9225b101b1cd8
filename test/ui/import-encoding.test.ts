import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { importer } from '../helpers/imports.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('a mapping, where another text encoding is chosen for its table', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const value = (name: string) => field(name).inputValue();
  const encoding = (name: string) => field('Text encoding').selectOption(name);

  async function choose(contents: Record<string, string>): Promise<void> {
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(
      Object.entries(contents).map(([name, content]) => ({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(content, 'latin1'),
      })),
    );
  }
  const imported = async () => {
    await page.getByRole('button', { name: /^Import \d/, disabled: false }).click();
    await page.getByRole('heading', { name: /entit(?:y was|ies were) created$/ }).waitFor();
    const on = importer(node);
    const run = new URL(page.url()).searchParams.get('run');
    const { body } = await on.ask('GET', `/node/imports/${run}/made`);
    const { id } = (body as { import: { collection: { id: string } } }).import.collection;
    return [...(await on.entities(id)).values()].map(({ properties }) => properties);
  };

  test('stays, with its columns as they are called then', async () => {
    await choose({ 'works.csv': 'Nummer,K\xfcnstler,Sch\xe4tzwert,Technik\n1,M\xfcller,5,\xd6l\n2,Mayer,7,Holz\n' });
    await field('What Künstler becomes').selectOption('relationship');
    await field('Predicate of Künstler').fill('made_by');
    await field('What Schätzwert becomes').selectOption('none');
    await field('Property name of Technik').fill('technique');
    await field('Label').selectOption('Künstler');
    await field('Type of each record').fill('object');

    await encoding('macintosh');
    await field('What K¸nstler becomes').waitFor();
    expect(await value('What K¸nstler becomes')).toBe('relationship');
    expect(await value('Predicate of K¸nstler')).toBe('made_by');
    expect(await value('What Sch‰tzwert becomes')).toBe('none');
    expect(await value('Property name of Technik')).toBe('technique');
    expect([await value('Label'), await value('Type of each record')]).toEqual(['K¸nstler', 'object']);

    // All of it is one column then.
    await encoding('utf-16le');
    await page.getByText('In this text encoding the file has other columns.').waitFor();
    await lookAt(page, 'import-other-columns');

    await encoding('windows-1252');
    await field('What Künstler becomes').waitFor();
    expect(await value('Property name of Nummer')).toBe('Nummer');
    await field('Label').selectOption('Technik');
    expect(await imported()).toContainEqual(expect.objectContaining({ label: 'Öl', technique: 'Öl' }));
    expect(visitor.faults).toEqual([]);
  });

  test('leaves out what it left out, also where that is chosen for another file that is imported with it', async () => {
    await choose({ 'one.csv': 'Name,Sch\x8atzwert\nOne,5\n', 'two.csv': 'Name,Sch\x8atzwert\nTwo,7\n' });
    await field('What SchŠtzwert becomes').selectOption('none');
    await field('File').selectOption('two.csv: Western European (Windows-1252, Latin-1)');
    await encoding('macintosh');
    await field('What Schätzwert becomes').waitFor();
    expect(await value('What Schätzwert becomes')).toBe('none');
    await page.getByRole('option', { name: 'one.csv: Western European (old Mac)' }).waitFor({ state: 'attached' });
    const made = await imported();
    expect(made.map(({ label }) => label).sort()).toEqual(['One', 'Two']);
    expect(JSON.stringify(made)).not.toContain('tzwert');
    expect(visitor.faults).toEqual([]);
  });
});
