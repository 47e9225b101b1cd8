import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { UploadParts } from '../../src/server/blocks/upload-parts.ts';
import { openDataFolder } from '../../src/server/data-folder.ts';
import { instanceOf } from '../../src/server/node-file.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { spooledPath } from '../../src/server/store/archive/spool.ts';
import { ChatStore, chatFile } from '../../src/server/store/chats/chats.ts';
import { filesFolder, uploadsFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { unfinished } from '../../src/server/store/tasks.ts';
import { verifyStore } from '../../src/server/store/verify/verify.ts';
import { problemsAfterCrash } from '../helpers/crash-check.ts';

/** What a writer has been told is on the disk. Versions are `[id, cid]`. */
export type Promised =
  | { instance: string }
  | { operator: string }
  | { key: string }
  | { versions: [string, string][] }
  | { file: string }
  | { part: string; size: number }
  | { spooled: string; size: number };

/** What is wrong with a data folder after a power cut, given what was promised before it. */
export async function brokenPromises(folder: string, promised: readonly Promised[]): Promise<string[]> {
  const problems: string[] = [];
  const data = await openDataFolder(folder);
  const known = new Map(promised.flatMap((it) => ('instance' in it ? [['instance', it.instance]] : [])));
  const instance = await instanceOf(data);
  if ((known.get('instance') ?? instance) !== instance) problems.push('the node has another instance id');

  const identity = new Identity(data, { now: Date.now, randomBytes });
  const { key } = identity.ensureOperator();
  for (const it of promised) {
    if ('operator' in it && it.operator !== key) problems.push("the operator's key is another one");
    if ('key' in it && !identity.findKey(it.key)) problems.push('an API key is lost');
  }
  identity.close();
  new ChatStore(join(data, chatFile)).close();

  problems.push(
    ...(await problemsAfterCrash(
      data,
      promised.flatMap((it) => ('versions' in it ? it.versions : [])),
    )),
  );
  const store = await NetworkStore.open(data, 'main', { writer: 'here' });
  const { folder: place } = store;
  const tasks = store.read((db) => unfinished(db, 'car_import')).map(({ id }) => id);
  await store.close();
  const { problems: found } = await verifyStore(
    { database: databaseFile(data, 'main'), folder: place },
    () => undefined,
  );
  problems.push(...found.map(({ kind, message }) => `verify: ${kind}: ${message}`));

  const files = new FileStore(filesFolder(place));
  const parts = new UploadParts(uploadsFolder(place));
  for (const it of promised) {
    if ('file' in it && !files.has(it.file)) problems.push(`the file ${it.file} is lost`);
    if ('part' in it && (await parts.size(it.part)) < it.size) problems.push(`bytes of the upload ${it.part} are lost`);
    if ('spooled' in it && !tasks.includes(it.spooled)) problems.push(`the import of ${it.spooled} is forgotten`);
  }
  // Whoever finds the record completes the import, so the archive has to be there whole as soon as the record is.
  const sizes = new Map(promised.flatMap((it) => ('spooled' in it ? [[it.spooled, it.size] as const] : [])));
  for (const name of tasks) {
    const size = statSync(spooledPath(place, name) ?? '', { throwIfNoEntry: false })?.size;
    if (size === undefined || size < (sizes.get(name) ?? 0)) problems.push(`the archive ${name} is lost or not whole`);
  }
  return problems;
}
