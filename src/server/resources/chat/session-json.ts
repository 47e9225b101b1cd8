import { setImmediate as turn } from 'node:timers/promises';
import type { ChatStore, StoredMessage, StoredSession } from '../../store/chats/chats.ts';

const pieceLength = 64 * 1024;

/** A session with its messages as the wire has it, in pieces of UTF-8; other requests get their turn between them. */
export async function* sessionJson(chats: ChatStore, session: StoredSession): AsyncGenerator<Uint8Array> {
  const { id, owner, title, created_at, updated_at } = session;
  const head = {
    id,
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
    ownerId: owner,
    title,
  };
  let text = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let message = chats.next(session.key);
  while (message !== undefined) {
    text += messageJson(message);
    message = chats.next(session.key, message);
    if (message !== undefined) text += ',';
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
    await turn();
  }
  yield Buffer.from(`${text}]}`);
}

/** What else belongs to a message is JSON already, an object that is not empty. */
function messageJson({ id, role, content, extra, created_at }: StoredMessage): string {
  const json = JSON.stringify({ id, role, content, createdAt: new Date(created_at).toISOString() });
  return extra === null ? json : `${json.slice(0, -1)},${extra.slice(1)}`;
}
