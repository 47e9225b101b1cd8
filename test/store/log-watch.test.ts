import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StorageError } from '../../src/server/errors.ts';
import { ChatStore } from '../../src/server/store/chats/chats.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { temporaryFolder } from '../helpers/node.ts';

test('a log that does not get into its database is asked about once it has grown, and at each write until it does', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chat.db');
  let fault: StorageError | null = null;
  let asked = 0;
  const chats = new ChatStore(file, async () => {
    asked++;
    if (fault) throw fault;
    return 0;
  });
  const { key } = chats.create({ id: 'a', owner: 'o', network: 'main', title: 't', at: 0 });
  const say = async (bytes: number) => {
    const content = randomBytes(bytes / 2).toString('hex');
    const message = { id: randomUUID(), role: 'user', content, extra: null, created_at: 0 };
    chats.append(key, message, { preview: '' });
    await new Promise(setImmediate);
  };
  for (let n = 0; n < 20; n++) await say(300_000);
  // SQLite's own checkpoints have emptied it each time.
  expect(asked).toBe(0);

  const reader = openReader(file);
  reader.run('BEGIN');
  reader.get('SELECT count(*) FROM session');
  for (let n = 0; n < 20; n++) await say(300_000);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(5_000_000);
  expect([asked > 0, chats.checkpointFault]).toEqual([true, null]);
  fault = new StorageError('The disk fails.');
  await say(300_000);
  expect(chats.checkpointFault).toBe('The disk fails.');
  const before = asked;
  await say(10);
  await say(10);
  expect([asked, chats.checkpointFault]).toEqual([before + 2, 'The disk fails.']);
  fault = null;
  await say(10);
  expect(chats.checkpointFault).toBeNull();
  reader.run('COMMIT');
  reader.close();
  await say(300_000);
  const after = asked;
  for (let n = 0; n < 10; n++) await say(300_000);
  expect(asked).toBe(after);
  chats.close();
});
