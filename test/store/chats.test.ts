import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StorageError } from '../../src/server/errors.ts';
import { chatMigrations } from '../../src/server/store/chats/chat-schema.ts';
import { ChatStore } from '../../src/server/store/chats/chats.ts';
import { temporaryFolder } from '../helpers/node.ts';

test('an answer in place of one from before answers named their questions is what a chat said last', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chat.db');
  const db = new Database(file);
  db.exec(`${chatMigrations[0]}; PRAGMA user_version = 1;
    INSERT INTO session (key, id, owner, network, preview, created_at, updated_at) VALUES (1, 's', 'o', 'main', 'Old', 1, 1);
    INSERT INTO message (key, session, id, role, content, created_at)
      VALUES (1, 1, 'q', 'user', 'Why?', 1), (2, 1, 'a', 'assistant', 'Old', 1)`);
  db.close();
  const chats = new ChatStore(file);
  const answer = { id: 'b', role: 'assistant', content: 'New', extra: null, created_at: 2 };
  chats.append(1, answer, { preview: 'New', instead: { question: 1, last: 2, turn: 1 } });
  expect(chats.find('s', 'main')).toMatchObject({ preview: 'New', updated_at: 2 });
  chats.close();
});

/** A chat whose node was killed while it was answered: the question, and what there is of its answer. */
function killed(file: string) {
  const chats = new ChatStore(file);
  const { key } = chats.create({ id: 's', owner: 'o', network: 'main', title: 'Why?', at: 1 });
  const say = (id: string, content: string) =>
    chats.append(key, { id, role: 'user', content, extra: null, created_at: 1 }, { preview: content }) ?? 0;
  const question = say('q', 'Why?');
  const draft = { id: 'a', content: 'Beca', extra: null, created_at: 2 };
  chats.draft(key, draft, 'Beca', { question, last: question, turn: 9 });
  return { key, question, say, close: () => chats.close() };
}

function said(chats: ChatStore, session: number): string[] {
  const all: string[] = [];
  for (let at = chats.next(session); at !== undefined; at = chats.next(session, at)) all.push(at.content);
  return all;
}

test('an answer that a kill has cut off is kept beside a message that was said under its id', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chat.db');
  const { key, say, close } = killed(file);
  say('a', 'And?');
  close();
  const chats = new ChatStore(file);
  expect(said(chats, key)).toEqual(['Why?', 'Beca', 'And?']);
  chats.close();
});

test('chats are read where an answer that a kill has cut off cannot be kept, which is done before anything else is', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chat.db');
  const { key, question, close } = killed(file);
  close();
  const disk = new Database(file);
  disk.exec("CREATE TRIGGER fails BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'no'); END");
  const chats = new ChatStore(file);
  expect(chats.find('s', 'main')).toMatchObject({ title: 'Why?', preview: 'Why?' });
  expect(said(chats, key)).toEqual(['Why?']);
  const next = { id: 'b', role: 'assistant', content: 'Because.', extra: null, created_at: 3 };
  const instead = { question, last: question, turn: 1 };
  expect(() => chats.append(key, next, { preview: 'Because.', instead })).toThrow(StorageError);
  expect(() => chats.draft(key, next, 'Because.', instead)).toThrow(StorageError);
  disk.exec('DROP TRIGGER fails');
  disk.close();
  chats.keepLeft();
  expect(said(chats, key)).toEqual(['Why?', 'Beca']);
  const last = chats.next(key, { place: question, key: question })?.key ?? 0;
  chats.append(key, next, { preview: 'Because.', instead: { ...instead, last } });
  expect(said(chats, key)).toEqual(['Why?', 'Because.']);
  chats.close();
});
