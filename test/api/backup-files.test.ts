import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { BackupManifest } from '../../src/server/store/backup/backup-manifest.ts';
import { digestOf } from '../../src/server/store/backup/file-digest.ts';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import type { VerifyReport } from '../../src/server/store/verify/verify-findings.ts';
import { commandLine, screen } from '../helpers/command-line.ts';
import { cidOf, keptBy } from '../helpers/files.ts';
import { filesIn } from '../helpers/files-in.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, lastLine, operate } from '../helpers/node-archives.ts';
import { inChunks } from '../helpers/sample-archive.ts';

const picture = Buffer.alloc(5000, 'a picture ');

const silent = () => undefined;

async function backup(node: TestNode, dir: string): Promise<Record<string, unknown>> {
  return lastLine(await operate(node, 'POST /node/backup', { dir }));
}

/** An entity of whose content these are the bytes. */
async function keep(node: TestNode, label: string, bytes: Buffer): Promise<string> {
  const { cid, size } = await keptBy(node).put(inChunks(bytes, 1000));
  const content = { image: { cid, size, content_type: 'image/png' } };
  await create(node, label, { properties: { label, content } });
  return cid;
}

/** Where the bytes of a CID lie in a data folder or a backup. */
function placeOf(folder: string, cid: string): string {
  return join(folder, 'main', 'files', cid.slice(-2), cid);
}

async function manifestOf(dir: string): Promise<BackupManifest> {
  return JSON.parse(await readFile(join(dir, 'backup.json'), 'utf8')) as BackupManifest;
}

test('what other programs have put beside the kept files does not go into a backup', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const cid = await keep(node, 'Ada', picture);
  const files = join(node.data, 'main', 'files');
  await writeFile(join(files, '.DS_Store'), 'of the Finder');
  await writeFile(join(files, cid.slice(-2), 'Thumbs.db'), 'of the Explorer');
  await mkdir(join(files, 'ab', 'album'), { recursive: true });
  await writeFile(join(files, 'ab', 'album', 'desktop.ini'), 'of the desktop');
  const dir = join(folder.path, 'backup');
  expect(await backup(node, dir)).toMatchObject({ done: { dir } });
  const content = (await filesIn(dir)).filter((path) => path.includes('/files/'));
  expect(content).toEqual([`main/files/${cid.slice(-2)}/${cid}`]);
  expect((await restoreBackup(dir, join(folder.path, 'restored'), silent)).strays).toEqual([]);
  expect(await readFile(placeOf(join(folder.path, 'restored'), cid))).toEqual(picture);
});

test('content that lies aside as unwanted and that a version names goes into a backup', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const cid = await keep(node, 'Ada', picture);
  await keptBy(node).setUnwantedAside(cid, Number.POSITIVE_INFINITY, () => false);
  const aside = join(node.data, 'main', 'files', 'unwanted', cid);
  expect(await readFile(aside)).toEqual(picture);
  const dir = join(folder.path, 'backup');
  expect(await backup(node, dir)).toMatchObject({ done: { dir } });
  expect(await readFile(placeOf(dir, cid))).toEqual(picture);
  expect((await manifestOf(dir)).networks).toMatchObject([{ missing_files: 0 }]);
});

test('a backup that took such files along is restored without them, and they are named', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  {
    await using node = await startNode();
    await keep(node, 'Ada', picture);
    await backup(node, dir);
  }
  const manifest = await manifestOf(dir);
  const strays = ['main/files/.DS_Store', 'main/files/ab/Thumbs.db', 'main/files/../../../outside'];
  for (const path of strays) manifest.files.push({ path, size: 0, sha256: '0'.repeat(64) });
  await writeFile(join(dir, 'backup.json'), JSON.stringify(manifest));
  await writeFile(join(dir, 'main', 'files', '.DS_Store'), 'of the Finder');
  const data = join(folder.path, 'restored');
  const printed = await commandLine(data, ['restore', dir]);
  expect([printed.code, printed.err]).toEqual([0, '']);
  expect(printed.out).toContain(`3 files in it that no node has written were left out: ${strays.join(', ')}.`);
  expect((await filesIn(data)).filter((path) => path.includes('/files/'))).toEqual([
    `main/files/${cidOf(picture).slice(-2)}/${cidOf(picture)}`,
  ]);
});

// Files there can be read and not synced, as those of a disc.
test.runIf(process.platform === 'linux')('the files of a backup are read and nothing else', async () => {
  expect(await digestOf('/proc/sys/kernel/ostype')).toMatchObject({ size: 'Linux\n'.length });
});

test('what cannot be read of a backup is said with the reason', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  {
    await using node = await startNode();
    await backup(node, dir);
  }
  await rm(join(dir, 'operator.key'));
  await mkdir(join(dir, 'operator.key'));
  await expect(restoreBackup(dir, join(folder.path, 'restored'), silent)).rejects.toMatchObject({
    reason: expect.stringMatching(/^operator\.key of the backup cannot be read \(EISDIR: /),
  });
});

test('files of the node that are damaged are named, and everything else is in the backup', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const whole = await keep(node, 'Ada', picture);
  const rotten = await keep(node, 'Eva', Buffer.alloc(3000, 'a drawing '));
  const unreadable = await keep(node, 'Ida', Buffer.from('a sketch'));
  await appendFile(placeOf(node.data, rotten), 'more');
  await rm(placeOf(node.data, unreadable));
  await mkdir(placeOf(node.data, unreadable));
  const dir = join(folder.path, 'backup');
  const named = [rotten, unreadable].sort();
  const lacking = { network: 'main', missing_files: 0, damaged_files: 2, damaged: named };
  expect(await backup(node, dir)).toMatchObject({ done: { dir, networks: [lacking] } });
  expect((await manifestOf(dir)).networks).toMatchObject([lacking]);

  const other = join(folder.path, 'other');
  const printed = await commandLine(node.data, ['backup', other]);
  expect([printed.code, printed.out]).toEqual([1, expect.stringMatching(/ files \(.* bytes\) in /)]);
  expect(printed.err).toContain(`2 files of the node are damaged or cannot be read (${named.join(', ')}).`);
  const json = await commandLine(node.data, ['backup', join(folder.path, 'third'), '--json']);
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { networks: [lacking] }]);

  const data = join(folder.path, 'restored');
  const restored = await commandLine(data, ['restore', other]);
  expect([restored.code, restored.err]).toEqual([0, '']);
  expect(restored.out).toContain(`2 files were damaged when the backup was made (${named.join(', ')})`);
  expect(await readFile(placeOf(data, whole))).toEqual(picture);
  expect(await readFile(placeOf(data, rotten), 'utf8')).toMatch(/^a drawing .*more$/);
});

/** A backup of a node that had a damaged file, whose CID it gives. */
async function damagedBackup(dir: string): Promise<string> {
  await using node = await startNode();
  await keep(node, 'Ada', picture);
  const rotten = await keep(node, 'Eva', Buffer.alloc(3000, 'a drawing '));
  await appendFile(placeOf(node.data, rotten), 'more');
  await backup(node, dir);
  return rotten;
}

test('a backup with a damaged file is verified as often as one likes, and stays what it is', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  const rotten = await damagedBackup(dir);
  const before = await filesIn(dir);
  for (let times = 0; times < 2; times++) {
    const { code, out, err } = await commandLine(dir, ['verify']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('1 problem was found.') });
    expect(out).toContain(`The bytes of ${rotten} are not those of its CID. Another backup may have it whole.`);
    expect(out).not.toMatch(/an upload or a sync|may be deleted/);
  }
  expect(await filesIn(dir)).toEqual(before);
  const data = join(folder.path, 'restored');
  expect(await commandLine(data, ['restore', dir])).toMatchObject({ code: 0, err: '' });
  expect(await readFile(placeOf(data, rotten), 'utf8')).toMatch(/^a drawing .*more$/);
});

test('a backup in which an earlier program has set a damaged file aside is restored as it was made', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  const rotten = await damagedBackup(dir);
  await mkdir(join(dir, 'main', 'files', 'damaged'));
  await rename(placeOf(dir, rotten), join(dir, 'main', 'files', 'damaged', rotten));
  expect(await commandLine(dir, ['verify'])).toMatchObject({
    code: 1,
    out: expect.stringContaining(`moved it to main/files/damaged/${rotten}; a restore finds it there`),
  });
  const data = join(folder.path, 'restored');
  expect(await commandLine(data, ['restore', dir])).toMatchObject({ code: 0, err: '' });
  expect(await readFile(placeOf(data, rotten), 'utf8')).toMatch(/^a drawing .*more$/);
});

test.each(['files/damaged', null])(
  'a file comes under its own name, whatever the list says of its folder (%s)',
  async (aside) => {
    await using folder = await temporaryFolder();
    const dir = join(folder.path, 'backup');
    const cid = await damagedBackup(dir);
    if (aside) {
      await mkdir(join(dir, 'main', aside));
      await rename(placeOf(dir, cid), join(dir, 'main', aside, cid));
    }
    const list = join(dir, 'backup.json');
    const text = await readFile(list, 'utf8');
    const place = `main/files/${cid.slice(-2)}/${cid}`;
    expect(text).toContain(place);
    await writeFile(list, text.replace(place, `main/files/00/${cid}`));
    const data = join(folder.path, 'restored');
    expect(await commandLine(data, ['restore', dir])).toMatchObject({ code: 0, err: '' });
    expect((await filesIn(data)).filter((path) => path.includes(cid))).toEqual([place]);
  },
);

test('verifying a backup finds what a restore would find, and looks at each network', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  let cid = '';
  {
    await using node = await startNode();
    await done(node, 'POST /entities', { type: 'document', properties: { label: 'on test' } }, 'test');
    cid = await keep(node, 'Ada', picture);
    // What is taken out of the backup has to be in it: the log follows the writes.
    await node.ctx.attestationLogs.of(await node.ctx.networks.get('main')).settle();
    await backup(node, dir);
  }
  const sound = await commandLine(dir, ['verify']);
  expect(sound).toMatchObject({ code: 0, err: '' });
  expect(sound.out).toMatch(
    /^The files on the list of the backup: all is well\nmain: .*: all is well\n(.*\n)*test: .*: all is well/,
  );
  const content = `main/files/${cid.slice(-2)}/${cid}`;
  const whole = join(folder.path, 'whole');
  await cp(dir, whole, { recursive: true });
  await writeFile(join(dir, 'identity.db'), 'this is no database, whatever its name says');
  const gone = [content, 'main/attest.db', 'operator.key'];
  for (const path of gone) await rm(join(dir, path));
  const damaged = await commandLine(dir, ['verify']);
  expect([damaged.code, damaged.out.split('\n').slice(0, 5)]).toEqual([
    1,
    [
      'The files on the list of the backup: something is wrong',
      '  backup: The backup is damaged: identity.db is not what it was when the backup was made.',
      ...gone.sort().map((path) => expect.stringContaining(`  backup: ${path} of the backup cannot be read (ENOENT`)),
    ],
  ]);
  await rm(dir, { recursive: true });
  await cp(whole, dir, { recursive: true });
  await writeFile(join(dir, 'backup.json'), 'torn');
  expect(await commandLine(dir, ['verify'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('is no sound backup: its backup.json is not JSON.'),
  });
  await cp(join(whole, 'backup.json'), join(dir, 'backup.json'));
  const db = new Database(join(dir, 'test', 'archeion.db'));
  db.exec("UPDATE entity SET label = 'off test' WHERE label = 'on test'");
  db.close();
  const { code, out } = await commandLine(dir, ['verify', '--json']);
  const { problems, counts } = JSON.parse(out) as VerifyReport;
  expect([code, counts.files]).toEqual([1, 1]);
  expect(problems.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
    'backup The backup is damaged: test/archeion.db is not what it was when the backup was made.',
    expect.stringMatching(/^entity test: .* differs from its tip in label/),
  ]);
});

test('a backup of which some content is damaged or gone is restored without that, which is named', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  let [whole, rotten, gone, unreadable] = ['', '', '', ''];
  {
    await using node = await startNode();
    whole = await keep(node, 'Ada', picture);
    rotten = await keep(node, 'Eva', Buffer.alloc(3000, 'a drawing '));
    gone = await keep(node, 'Ida', Buffer.from('a sketch'));
    unreadable = await keep(node, 'Una', Buffer.from('a note'));
    await backup(node, dir);
  }
  await writeFile(placeOf(dir, rotten), Buffer.alloc(3000, 'a drowning '));
  for (const cid of [gone, unreadable]) await rm(placeOf(dir, cid));
  await mkdir(placeOf(dir, unreadable));
  const data = join(folder.path, 'restored');
  const restored = await commandLine(data, ['restore', dir]);
  const paths = [rotten, gone, unreadable].map((cid) => `main/files/${cid.slice(-2)}/${cid}`).sort();
  expect([restored.code, restored.out]).toEqual([1, expect.stringContaining(`is in ${data}.`)]);
  expect(restored.err).toContain('The data folder is made, without 3 files of content that are damaged in the backup');
  expect(restored.err).toContain(`(${paths.join(', ')})`);
  expect((await filesIn(data)).filter((path) => path.includes('/files/'))).toEqual([
    `main/files/${whole.slice(-2)}/${whole}`,
  ]);
  const verified = await commandLine(data, ['verify', '--json']);
  expect([verified.code, JSON.parse(verified.out)]).toMatchObject([0, { ok: true, counts: { missing_files: 3 } }]);
  await using node = await startNode({ data });
  expect(await keptBy(node).put(inChunks(Buffer.from('a sketch'), 1000))).toMatchObject({ cid: gone });

  const json = await commandLine(join(folder.path, 'again'), ['restore', dir, '--json']);
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { left_out: paths }]);
  await writeFile(join(dir, 'operator.key'), 'another');
  expect(await commandLine(join(folder.path, 'third'), ['restore', dir])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('The backup is damaged: operator.key is not what it was'),
  });
  expect((await readdir(folder.path)).sort()).toEqual(['again', 'backup', 'restored']);
});

test('content that has the bytes of its name is restored, though what the list says of it is damaged', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  let cid = '';
  {
    await using node = await startNode();
    cid = await keep(node, 'Ada', picture);
    await backup(node, dir);
  }
  const list = await readFile(join(dir, 'backup.json'), 'utf8');
  const [entry = ''] = /\{[^{]*bafkrei[^}]*\}/.exec(list) ?? [];
  const { sha256, size } = JSON.parse(entry) as { sha256: string; size: number };
  const flipped = sha256.startsWith('0') ? '1' : '0';
  const damages = [
    entry.replace(sha256, flipped + sha256.slice(1)),
    entry.replace(`${size}`, `${size + 1}`),
    entry.replace(cid, cid.replace('bafkrei', 'bafkReI')),
    entry.replace(cid, cid.replace('bafkrei', 'bafkrea')),
  ];
  for (const [n, damage] of damages.entries()) {
    await writeFile(join(dir, 'backup.json'), list.replace(entry, damage));
    const data = join(folder.path, `restored ${n}`);
    await restoreBackup(dir, data, silent);
    expect(await readFile(placeOf(data, cid))).toEqual(picture);
  }
});

test('how much there is to copy nobody knows, and no share of it is shown', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  await keep(node, 'Ada', picture);
  const { terminal, shown } = screen();
  const { signal } = new AbortController();
  const done = await commandLine(node.data, ['backup', join(folder.path, 'backup')], signal, terminal);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(shown.join('')).toContain('backup 1 content');
  expect(shown.join('')).not.toContain('%');
});
