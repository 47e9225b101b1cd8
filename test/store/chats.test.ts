import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
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
