import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { PartialFiles } from '../../src/server/blocks/partial-files.ts';
import { UploadParts } from '../../src/server/blocks/upload-parts.ts';
import { openDataFolder } from '../../src/server/data-folder.ts';
import { instanceOf } from '../../src/server/node-file.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { spool } from '../../src/server/store/archive/spool.ts';
import { ChatStore, chatFile } from '../../src/server/store/chats/chats.ts';
import { filesFolder, partialsFolder, uploadsFolder } from '../../src/server/store/network-folders.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { cidOf } from '../helpers/files.ts';
import { change, commit, first, idOf, next, type Version } from '../helpers/store.ts';
import { addMark } from './recording.ts';
import type { Promised } from './store-promises.ts';

/**
 * A program that writes all kinds of things that a node keeps, through the store itself, and says after each that it is
 * promised: `store-writer.ts DATA ROUNDS`. It opens and closes everything several times, so that logs are emptied too.
 */
const [folder = '', rounds = '10'] = process.argv.slice(2);
const sessions = 3;
const lanes = 4;
const promise = (promised: Promised) => addMark(process.env.FAULT_LOG ?? '', JSON.stringify(promised));
let made = 0;

for (let session = 0; session < sessions; session++) {
  const data = await openDataFolder(folder);
  promise({ instance: await instanceOf(data) });
  const identity = new Identity(data, { now: Date.now, randomBytes });
  const { account, key } = identity.ensureOperator();
  promise({ operator: key });
  const chats = new ChatStore(join(data, chatFile));
  const store = await NetworkStore.open(data, 'main');
  // As a node does, before all else.
  if (session === 0) await submit(store, [change(null, first(account.id))]);
  const lane = async (n: number) => {
    for (let round = 0; round < Number(rounds); round++) {
      await write(store, n, round);
      await keep(store);
      await takeOver(store);
      if (round % 4 === n) await receive(store);
      promise({ key: identity.createKey({ kind: 'user', account: account.id, expiresIn: null }).key });
      const id = `${session} ${n} ${round}`;
      chats.create({ id, owner: account.id, network: 'main', title: 'x'.repeat(500), at: 1 });
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
  await store.close();
  chats.close();
  identity.close();
}

/** Makes an entity, edits it, moves it elsewhere and deletes it: commits of one and of several versions. */
async function write(store: NetworkStore, n: number, round: number): Promise<void> {
  const [here, there] = [idOf(1 + (n % 3)), idOf(4 + (round % 3))];
  const text = randomBytes(1 + ((made * 97) % 3000)).toString('hex');
  const [a, b] = [here, there].map((collection) =>
    first(idOf(1000 + made++), {
      properties: { label: `entity ${made}`, text },
      relationships: [['collection', collection]],
    }),
  ) as [Version, Version];
  const a2 = next(a, { properties: { text, round } });
  const b2 = next(b, { relationships: [['knows', a.id]] });
  const grave = next(a2, { deleted: true });
  for (const [changes, versions] of [
    [
      [change(null, a), change(null, b)],
      [a, b],
    ],
    [
      [change(a, a2), change(b, b2)],
      [a2, b2],
    ],
    [[change(a2, grave)], [grave]],
  ] as const) {
    await submit(store, [...changes]);
    promise({ versions: versions.map(({ id, cid }) => [id, cid]) });
  }
}

async function submit(store: NetworkStore, changes: ReturnType<typeof change>[]): Promise<void> {
  const [outcome] = await store.submit([commit(changes)]);
  if (!outcome?.committed) throw new Error(`not committed: ${JSON.stringify(outcome)}`);
}

/** Keeps a file, and a part of an upload. */
async function keep(store: NetworkStore): Promise<void> {
  const { cid } = await new FileStore(filesFolder(store.folder)).put(chunks(3));
  promise({ file: cid });
  const name = randomBytes(32).toString('hex');
  const parts = new UploadParts(uploadsFolder(store.folder));
  await parts.write(name, chunks(1), 0);
  promise({ part: name, size: await parts.size(name) });
  await parts.write(name, chunks(1), await parts.size(name));
  promise({ part: name, size: await parts.size(name) });
}

/** Takes over what another process had fetched and not synced before it was killed. */
async function takeOver(store: NetworkStore): Promise<void> {
  const bytes = randomBytes(9000);
  const cid = cidOf(bytes);
  const partials = new PartialFiles(partialsFolder(store.folder));
  await mkdir(partialsFolder(store.folder), { recursive: true });
  await writeFile(partials.path(cid), bytes);
  await new FileStore(filesFolder(store.folder)).adopt(partials.path(cid), cid);
  promise({ file: cid });
}

/** Receives an archive, and notes that it is to be applied. */
async function receive(store: NetworkStore): Promise<void> {
  const { name, size } = await spool(store.folder, chunks(4));
  const task = { kind: 'car_import', state: { file: name } };
  await store.submit([commit([], { rows: [{ kind: 'task', id: name, task }] })]);
  promise({ spooled: name, size });
}

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield randomBytes(1 + ((made * 131) % 5000));
}
