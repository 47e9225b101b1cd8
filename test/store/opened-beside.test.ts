import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import type { Slice } from '../../src/server/attest/advance.ts';
import { advanceLog, checkLog, closeLogs } from '../../src/server/attest/attest-thread.ts';
import { StorageError } from '../../src/server/errors.ts';
import type { IndexStand } from '../../src/server/search/index-slice.ts';
import { closeIndexes, counted, slice } from '../../src/server/search/index-thread.ts';
import { closeFinders, similarities } from '../../src/server/search/search-thread.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { checkCar } from '../../src/server/store/archive/archive-check.ts';
import { attestFile, openLogReader, openLogWriter } from '../../src/server/store/attest-log.ts';
import { takeDatabase } from '../../src/server/store/backup/backup-copy.ts';
import { checkpointLog } from '../../src/server/store/checkpoints/checkpoint-thread.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { fileIdentity } from '../../src/server/store/file-identity.ts';
import { hasOpenJobs } from '../../src/server/store/jobs/open-jobs.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { hasWatched } from '../../src/server/store/remotes/watched-networks.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { longRead } from '../../src/server/store/threads/reader-thread.ts';
import { verifyStore } from '../../src/server/store/verify/verify.ts';
import { openBelow } from '../helpers/open-files.ts';
import { first, idOf, openStore, step, type TestStore } from '../helpers/store.ts';

// What is opened beside a database that this process has open. SQLite takes no lock against its own process: another file at that path
// would have it empty the memory that all connections share, and forget what is in the log.

const queue = {
  submit: async () => [],
  load: () => ({ groups: 0, waitingBytes: 0, checkpointFault: null }),
  close: async () => undefined,
};

function filesOf({ store }: TestStore) {
  const { database, fileId, folder } = store;
  const log = attestFile(folder);
  return {
    index: { database, fileId, index: searchFile(folder) },
    log: { database, log, fileIds: { database: fileId, log: fileIdentity(log) } },
  };
}

const openers: Record<string, (opened: TestStore) => unknown> = {
  'a long read': ({ store: { database: file, fileId } }) => longRead({ file, fileId, name: 'counts', args: {} }),
  'the index': (opened) => slice({ files: filesOf(opened).index, ms: 100, embedder: 'builtin' }),
  'a search': (opened) => similarities({ files: filesOf(opened).index, texts: ['a'], others: ['b'] }),
  'the attestation log': (opened) => advanceLog({ files: filesOf(opened).log, slice: {} as Slice }),
  'a check of that': (opened) => checkLog({ files: filesOf(opened).log, state: null }),
  'a checkpoint': ({ store: { database: file, fileId } }) => checkpointLog({ file, fileId }),
  'a large request': ({ data, store: { fileId } }) => NetworkStore.beside(data, 'main', fileId, queue),
  'open jobs': ({ data, store: { fileId } }) => hasOpenJobs(data, 'main', fileId),
  'watched remotes': ({ data, store: { fileId } }) => hasWatched(data, 'main', fileId),
  'the check of an archive': ({ store: { database, fileId } }) =>
    checkCar({ file: database, database, fileId, files: '', network: 'main', beside: new Map() }, () => undefined),
  'a backup': ({ data, store: { database, fileId } }) =>
    takeDatabase({ from: data, to: `${data}/none`, files: [], openFiles: { [database]: fileId } }, 'main/archeion.db'),
  verifying: ({ store: { database, folder, fileId } }) =>
    verifyStore({ database, folder, backup: true, openFiles: { [database]: fileId } }, () => undefined),
};

/** What became of it, as text. */
async function outcome(work: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await work());
  } catch (error) {
    return error instanceof StorageError ? error.reason : String(error);
  }
}

function putAside(file: string): () => void {
  renameSync(file, `${file}.away`);
  return () => {
    rmSync(file, { force: true });
    renameSync(`${file}.away`, file);
  };
}

const isRefused = expect.objectContaining({
  reason: expect.stringMatching(/was moved away or replaced while the node runs, and no other/),
});
const refused = /The database \w+\.db was moved away or replaced while the node runs, and no other one was opened/;

test.each(Object.entries(openers))('%s opens no other file in the place of the database', async (_, opener) => {
  await using opened = await openStore('here');
  onTestFinished(() => [closeIndexes, closeFinders, closeLogs].forEach((close) => close()));
  const { store, file, data } = opened;
  await store.submit([step(null, first(idOf(1)))]);
  // A search and a check look only where these are.
  while ((slice({ files: filesOf(opened).index, ms: 1000, embedder: 'builtin' }) as IndexStand).behind);
  openLogWriter(attestFile(store.folder)).close();
  for (const close of [closeIndexes, closeFinders]) close();
  const before = platform === 'linux' ? openBelow(data) : [];
  const back = [file, `${file}-wal`].map(putAside);
  copyFileSync(`${file}.away`, file);
  expect(await outcome(() => opener(opened))).toMatch(refused);
  if (platform === 'linux') expect(openBelow(data)).toHaveLength(before.length);
  for (const put of back) put();
  const reader = openReader(file);
  expect(reader.get('SELECT count(*) AS n FROM entity')).toEqual({ n: 1 });
  reader.close();
  await store.submit([step(null, first(idOf(2)))]);
  expect([opened.tip(idOf(1)), opened.tip(idOf(2))]).toEqual([first(idOf(1)).cid, first(idOf(2)).cid]);
  expect(await outcome(() => opener(opened))).not.toMatch(refused);
});

test('neither another attestation log nor other accounts are opened in their place', async () => {
  await using opened = await openStore('here');
  const { store, data } = opened;
  const log = attestFile(store.folder);
  const writer = openLogWriter(log);
  const options = { now: Date.now, randomBytes: (size: number) => new Uint8Array(size).fill(7) };
  const identity = new Identity(data, options);
  identity.setSetting('name', 'value');
  const accounts = join(data, 'identity.db');
  const openFiles = { log: fileIdentity(log), accounts: identity.fileId };
  const back = [log, `${log}-wal`, accounts, `${accounts}-wal`].map(putAside);
  for (const file of [log, accounts]) copyFileSync(`${file}.away`, file);
  for (const open of [openLogReader, openLogWriter]) expect(() => open(log, openFiles.log)).toThrow(isRefused);
  expect(() => new Identity(data, { ...options, fileId: openFiles.accounts })).toThrow(isRefused);
  const copy = {
    from: data,
    to: `${data}/none`,
    files: [],
    openFiles: { [log]: openFiles.log, [accounts]: openFiles.accounts },
  };
  for (const path of ['main/attest.db', 'identity.db'])
    await expect(takeDatabase(copy, path)).rejects.toEqual(isRefused);
  const { database, folder, fileId } = store;
  const verifying = verifyStore(
    { database, folder, openFiles: { ...copy.openFiles, [database]: fileId } },
    () => undefined,
  );
  expect(JSON.stringify(await verifying)).toMatch(/identity\.db was moved away or replaced/);
  for (const put of back) put();
  expect(writer.get('SELECT count(*) AS n FROM leaf')).toEqual({ n: 0 });
  const beside = new Identity(data, { ...options, fileId: openFiles.accounts });
  expect(beside.setting('name')).toBe('value');
  for (const one of [beside, identity, writer]) one.close();
});

test('the index and a search read the database that the node has opened since, and not the one of before', async () => {
  await using one = await openStore('here');
  await using other = await openStore('here');
  onTestFinished(() => [closeIndexes, closeFinders].forEach((close) => close()));
  await one.store.submit([step(null, first(idOf(1)))]);
  for (const n of [2, 3]) await other.store.submit([step(null, first(idOf(n)))]);
  const indexed = (files: ReturnType<typeof filesOf>['index']) => {
    while ((slice({ files, ms: 1000, embedder: 'builtin' }) as IndexStand).behind);
    return counted({ files });
  };
  const { index } = filesOf(one);
  expect(indexed(index)).toEqual({ entities: 1 });
  expect(similarities({ files: index, texts: ['a'], others: ['b'] })).toEqual([expect.any(Number)]);
  await one.store.close();
  await other.store.close();
  for (const end of ['-wal', '-shm']) rmSync(`${one.file}${end}`, { force: true });
  renameSync(other.file, one.file);
  const now = { ...index, fileId: fileIdentity(one.file) };
  expect(indexed(now)).toEqual({ entities: 2 });
  expect(similarities({ files: now, texts: ['a'], others: ['b'] })).toEqual([expect.any(Number)]);
  if (platform === 'linux') expect(openBelow(one.data).filter((path) => path.endsWith('(deleted)'))).toEqual([]);
});
