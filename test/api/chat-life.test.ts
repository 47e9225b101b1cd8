import { cp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { ChatStore, chatFile } from '../../src/server/store/chats/chats.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { chat, type Session, type Sessions } from '../helpers/chat.ts';
import { finish, says, startChatEndpoint, stream, textDelta } from '../helpers/chat-endpoint.ts';
import { ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { lastLine, operate } from '../helpers/node-archives.ts';

const body = (content = 'Hello?') => ({ messages: [{ id: 'm1', role: 'user', content }] });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

const session = async (node: TestNode, who: Person, id: string) =>
  ok<Session>(await ask(node, who, `GET /chat/sessions/${id}`));

describe('an answer that is not waited for', () => {
  /** A request that is left once the text has come and something was done. */
  function leave(
    node: TestNode,
    who: Person,
    text: string,
    before: () => Promise<void> = async () => {},
  ): Promise<IncomingMessage> {
    const { hostname, port } = new URL(node.url);
    const headers = { ...who.headers, 'Content-Type': 'application/json' };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { hostname, port, path: '/chat', method: 'POST', headers, agent: false },
        (response) => {
          let come = '';
          response.on('error', () => undefined);
          response.on('data', (chunk: Buffer) => {
            come += chunk.toString();
            if (!come.includes(text)) return;
            before()
              .finally(() => request.destroy())
              .then(() => resolve(response), reject);
          });
        },
      );
      request.on('error', reject);
      request.end(JSON.stringify(body()));
    });
  }

  test('ends the request to the model, and what came is kept', async () => {
    await using endpoint = await startChatEndpoint((response) => stream(response, textDelta('Half an')));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const { headers } = await leave(node, who, 'Half an');
    await until(() => endpoint.left === 1);
    const id = String(headers['x-chat-id']);
    let kept: Session = await session(node, who, id);
    while (kept.messages.length < 2) kept = await session(node, who, id);
    expect(kept.messages[1]).toMatchObject({ role: 'assistant', content: 'Half an' });
    endpoint.replies = [says('Whole.')];
    expect((await chat(node, who, 'Again?', id)).text).toBe('Whole.');
  });

  test('a node that stops ends it, and keeps what came', async () => {
    await using endpoint = await startChatEndpoint((response) => stream(response, textDelta('Half an')));
    await using folder = await temporaryFolder();
    const node = await startNode({ env: endpoint.env, data: folder.path });
    const who = operator(node);
    const asked = ask(node, who, 'POST /chat', body()).catch(() => undefined);
    await until(() => endpoint.asked.length === 1);
    await node[Symbol.asyncDispose]();
    await asked;
    await until(() => endpoint.left === 1);
    await using again = await startNode({ env: endpoint.env, data: folder.path });
    const { chats } = ok<Sessions>(await ask(again, who, 'GET /chat/sessions'));
    expect(chats).toMatchObject([{ lastMessagePreview: 'Half an' }]);
  });

  test('is kept as far as it came by a node that is killed meanwhile', async () => {
    await using endpoint = await startChatEndpoint((response) => stream(response, textDelta('Half an')));
    await using folder = await temporaryFolder();
    await using node = await startNode({ env: endpoint.env });
    const who = operator(node);
    // What a killed process leaves is what lies on the disk.
    await leave(node, who, 'Half an', () => cp(node.data, folder.path, { recursive: true }));
    await rm(join(folder.path, 'node.json'));
    await using again = await startNode({ env: endpoint.env, data: folder.path });
    const { chats } = ok<Sessions>(await ask(again, who, 'GET /chat/sessions'));
    expect(chats).toMatchObject([{ lastMessagePreview: 'Half an' }]);
    const { messages } = await session(again, who, chats[0]?.id ?? '');
    expect(messages).toMatchObject([
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: 'Half an' },
    ]);
  });

  test('is kept with what came last before the language model takes its time', async () => {
    const open: ServerResponse[] = [];
    await using endpoint = await startChatEndpoint((response) => {
      stream(response, textDelta('Half '), textDelta('an'));
      open.push(response);
    });
    await using node = await startNode({ env: endpoint.env });
    const who = operator(node);
    const asked = chat(node, who, 'Hello?');
    /** What a node that is killed now has of the answer. */
    const leftBehind = async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, chatFile);
      for (const end of ['', '-wal'])
        await cp(join(node.data, `${chatFile}${end}`), `${file}${end}`).catch(() => undefined);
      const chats = new ChatStore(file);
      const [session] = chats.list({ owner: who.id, network: 'main' }, 1, 0).sessions;
      chats.close();
      return session?.preview;
    };
    await expect.poll(leftBehind).toBe('Half an');
    for (const response of open) {
      stream(response, finish('stop'), '[DONE]');
      response.end();
    }
    expect((await asked).text).toBe('Half an');
  });

  test('is kept in no session that was begun after its own was deleted', async () => {
    const open: ServerResponse[] = [];
    await using endpoint = await startChatEndpoint((response) => {
      stream(response, textDelta('For one alone'));
      open.push(response);
    }, says('Hello.'));
    await using node = await startNode({ env: endpoint.env });
    const [one, other] = [await user(node, 'one'), await user(node, 'other')];
    const asked = chat(node, one, 'Something of mine?');
    await until(() => open.length === 1);
    const { chats } = ok<Sessions>(await ask(node, one, 'GET /chat/sessions'));
    ok(await ask(node, one, `DELETE /chat/sessions/${chats[0]?.id}`));
    const { chatId } = await chat(node, other, 'Hello?');
    for (const response of open) {
      stream(response, finish('stop'), '[DONE]');
      response.end();
    }
    expect((await asked).text).toBe('For one alone');
    const { messages } = await session(node, other, chatId);
    expect(messages.map(({ content }) => content)).toEqual(['Hello?', 'Hello.']);
  });

  test('takes nothing from a session that was begun after one was deleted whose answers are still written', async () => {
    const open: ServerResponse[] = [];
    const held = (response: ServerResponse) => {
      stream(response, textDelta(`Answer ${open.length}`));
      open.push(response);
    };
    const end = (response: ServerResponse | undefined) => {
      if (response) stream(response, finish('stop'), '[DONE]');
      response?.end();
    };
    await using endpoint = await startChatEndpoint(held, held, held, says('Yes.'));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const once = chat(node, who, 'Something?', undefined, 'm');
    await until(() => open.length === 1);
    const { chats } = ok<Sessions>(await ask(node, who, 'GET /chat/sessions'));
    const again = chat(node, who, 'Something?', chats[0]?.id, 'm');
    await until(() => open.length === 2);
    end(open[0]);
    await once;
    ok(await ask(node, who, `DELETE /chat/sessions/${chats[0]?.id}`));
    const asking = chat(node, who, 'First?');
    await until(() => open.length === 3);
    const { chats: left } = ok<Sessions>(await ask(node, who, 'GET /chat/sessions'));
    const id = String(left[0]?.id);
    await chat(node, who, 'Second?', id);
    end(open[2]);
    end(open[1]);
    await Promise.all([asking, again]);
    const texts = (await session(node, who, id)).messages.map(({ content }) => content);
    expect(texts).toEqual(['First?', 'Answer 2', 'Second?', 'Yes.']);
  });

  test('stands behind its question, and stays when a later one is asked again', async () => {
    const open: ServerResponse[] = [];
    const held = (text: string) => (response: ServerResponse) => {
      stream(response, textDelta(text));
      open.push(response);
    };
    await using endpoint = await startChatEndpoint(says('Hello.'), held('One.'), held('Two.'), says('Three.'));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const { chatId } = await chat(node, who, 'Hello?');
    const asking: Promise<unknown>[] = [];
    for (const [i, question] of ['First?', 'Second?'].entries()) {
      asking.push(chat(node, who, question, chatId, question));
      await until(() => open.length === i + 1);
    }
    for (const response of open.toReversed()) {
      stream(response, finish('stop'), '[DONE]');
      response.end();
      await asking.pop();
    }
    const { chats } = ok<Sessions>(await ask(node, who, 'GET /chat/sessions'));
    expect(chats).toMatchObject([{ lastMessagePreview: 'Two.' }]);
    await chat(node, who, 'Second?', chatId, 'Second?');
    const { messages } = await session(node, who, chatId);
    const texts = messages.map(({ content }) => content);
    expect(texts).toEqual(['Hello?', 'Hello.', 'First?', 'One.', 'Second?', 'Three.']);
  });

  test.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
  ])('asked for again meanwhile, the one that was begun last stays alone; the other ends %s', async (_when, order) => {
    const open: ServerResponse[] = [];
    await using endpoint = await startChatEndpoint((response) => {
      open.push(response);
      stream(response, textDelta(`Answer ${open.length}`));
    });
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const asked = [chat(node, who, 'Hello?', undefined, 'id-1')];
    await until(() => open.length === 1);
    const { chats } = ok<Sessions>(await ask(node, who, 'GET /chat/sessions'));
    const id = chats[0]?.id ?? '';
    asked.push(chat(node, who, 'Hello?', id, 'id-1'));
    await until(() => open.length === 2);
    for (const at of order) {
      const response = open[at] as ServerResponse;
      stream(response, finish('stop'), '[DONE]');
      response.end();
      await asked[at];
    }
    const { messages } = await session(node, who, id);
    expect(messages.map(({ content }) => content)).toEqual(['Hello?', 'Answer 2']);
  });

  test('sixteen are written at once; one more is told to wait', async () => {
    const open: ServerResponse[] = [];
    await using endpoint = await startChatEndpoint((response) => {
      stream(response, textDelta('Hello'));
      open.push(response);
    });
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const asked = Array.from({ length: 16 }, () => chat(node, who, 'Hello?'));
    await until(() => open.length === 16);
    const one = await ask(node, who, 'POST /chat', body());
    expect(one).toMatchObject({ status: 503, body: { details: { reason: expect.stringMatching(/^16 answers/) } } });
    for (const response of open) {
      stream(response, finish('stop'), '[DONE]');
      response.end();
    }
    expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(Array(16).fill('Hello'));
    endpoint.replies = [says('Room again.')];
    expect((await chat(node, who, 'Hello?')).text).toBe('Room again.');
  });
});

describe('storage', () => {
  test('a full one refuses questions until a session is deleted', async () => {
    await using endpoint = await startChatEndpoint();
    await using node = await startNode({ env: { ...endpoint.env, ARCHEION_CHAT_STORAGE_MB: '2' } });
    const who = await user(node, 'somebody');
    const { chatId } = await chat(node, who, 'x'.repeat(1_900_000));
    await chat(node, who, 'y'.repeat(300_000));
    const message =
      'The storage of chats is full: delete sessions that are no longer needed (DELETE /chat/sessions/{id}).';
    const refused = await ask(node, who, 'POST /chat', body());
    expect([refused.status, refused.body]).toEqual([
      507,
      { error: message, code: 'CHAT_STORAGE_FULL', details: { code: 'CHAT_STORAGE_FULL', message, limit: '2MB' } },
    ]);
    ok(await ask(node, who, `DELETE /chat/sessions/${chatId}`));
    expect((await chat(node, who, 'Now?')).text).toBe('Hello.');
  });

  test('a message of 2 MB is taken and read again, in a session that is longer than a piece', async () => {
    await using endpoint = await startChatEndpoint(says('Read.'));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const text = `"${'é'.repeat(1_000_000)}\\`;
    const { chatId } = await chat(node, who, text);
    await chat(node, who, 'And?', chatId);
    expect((await session(node, who, chatId)).messages.map(({ content }) => content)).toEqual([
      text,
      'Read.',
      'And?',
      'Read.',
    ]);
    // The long message does not fit the model's context a second time.
    expect(endpoint.asked[1]?.body.messages.map(({ content }) => content).slice(1)).toEqual(['…', 'Read.', 'And?']);
  });

  test('a deletion that the node did not end is ended when chats are next used', async () => {
    await using endpoint = await startChatEndpoint();
    await using folder = await temporaryFolder();
    const rows = (sql: string) => {
      const db = new Database(join(folder.path, 'chat.db'));
      const found = db.prepare(sql);
      const result = found.reader ? found.all() : found.run();
      db.close();
      return result;
    };
    const first = await startNode({ env: endpoint.env, data: folder.path });
    for (const text of ['Gone', 'Here']) await chat(first, operator(first), text);
    await first[Symbol.asyncDispose]();
    rows("UPDATE session SET deleted = 1 WHERE title = 'Gone'");

    await using node = await startNode({ env: endpoint.env, data: folder.path });
    const { chats } = ok<Sessions>(await ask(node, operator(node), 'GET /chat/sessions'));
    expect(chats.map(({ title }) => title)).toEqual(['Here']);
    await until(() => (rows('SELECT key FROM session') as unknown[]).length === 1);
    expect(rows('SELECT content FROM message ORDER BY key')).toEqual([{ content: 'Here' }, { content: 'Hello.' }]);
  });

  test('is part of a backup', async () => {
    await using endpoint = await startChatEndpoint(says('Kept.'));
    await using folder = await temporaryFolder();
    await using node = await startNode({ env: endpoint.env });
    const who = operator(node);
    const { chatId } = await chat(node, who, 'Remember this');
    const dir = join(folder.path, 'backup');
    expect(await lastLine(await operate(node, 'POST /node/backup', { dir }))).toMatchObject({ done: { dir } });
    const data = join(folder.path, 'restored');
    await restoreBackup(dir, data, () => undefined);
    await using restored = await startNode({ data });
    expect((await session(restored, who, chatId)).messages.map(({ content }) => content)).toEqual([
      'Remember this',
      'Kept.',
    ]);
  });
});
