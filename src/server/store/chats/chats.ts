import { randomUUID } from 'node:crypto';
import { StorageError } from '../../errors.ts';
import type { Network } from '../../model/ids.ts';
import type { Checkpoint } from '../checkpoints/checkpoints.ts';
import { NodeDatabase } from '../node-database.ts';
import { chatMigrations } from './chat-schema.ts';

/** The file's name in the data folder. */
export const chatFile = 'chat.db';

export interface ChatOwner {
  /** A user's id on the network. */
  owner: string;
  network: Network;
}

/** Times are epoch milliseconds. */
export interface StoredSession extends ChatOwner {
  key: number;
  id: string;
  title: string | null;
  /** The beginning of the last message. */
  preview: string | null;
  created_at: number;
  updated_at: number;
}

export interface StoredMessage {
  key: number;
  /** The key of the question that it answers; else its own. */
  place: number;
  id: string;
  role: string;
  content: string;
  /** JSON of what else belongs to the message. */
  extra: string | null;
  created_at: number;
}

export type NewMessage = Omit<StoredMessage, 'key' | 'place'>;
type Draft = Omit<NewMessage, 'role'>;

/** The answers to a question that have keys up to a last one. */
export interface AnswersTo {
  question: number;
  last: number;
  /** Some beside these. */
  also?: readonly number[];
}

/** What an answer is kept in place of. */
export interface Instead extends AnswersTo {
  /** The greater one was begun later. */
  turn: number;
}

/** Where a message stands: an answer behind its question, also where that was not the last one any more when it came. */
export type MessagePlace = Pick<StoredMessage, 'place' | 'key'>;

/** Behind all messages. */
export const chatEnd: MessagePlace = { place: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

const sessionColumns = 'key, id, owner, network, title, preview, created_at, updated_at';
const place = 'coalesce(question, key)';
const messageColumns = `key, ${place} AS place, id, role, content, extra, created_at`;

/** Conversations, in `<data>/chat.db`. Each call is short: a message has at most a few megabytes. */
export class ChatStore {
  readonly #db: NodeDatabase;
  /** Of the newest session. No key is given twice: an answer may still be written for a session that is deleted meanwhile. */
  #lastKey: number;
  /** Of the newest message, for the same reason. */
  #lastMessage: number;
  /** Whether a node that was killed may have left answers that are not kept yet. */
  #isLeft = true;

  /** `checkpoint` finds out why the log does not get into the database, where it grows. */
  constructor(file: string, checkpoint?: Checkpoint) {
    this.#db = new NodeDatabase(file, { steps: chatMigrations, synchronous: 'NORMAL', checkpoint });
    this.#lastKey = this.#db.get<{ key: number | null }>('SELECT max(key) AS key FROM session')?.key ?? 0;
    this.#lastMessage = this.#db.get<{ key: number | null }>('SELECT max(key) AS key FROM message')?.key ?? 0;
    this.keepLeft();
  }

  /** Which file the database is (file-identity.ts). */
  get fileId(): string | null {
    return this.#db.fileId;
  }

  /** How many bytes are in use; what was deleted does not count. */
  bytes(): number {
    const sql = `SELECT (n.page_count - f.freelist_count) * s.page_size AS bytes
       FROM pragma_page_count n, pragma_freelist_count f, pragma_page_size s`;
    return this.#db.get<{ bytes: number }>(sql)?.bytes ?? 0;
  }

  create({ id, owner, network, title, at }: ChatOwner & { id: string; title: string; at: number }): StoredSession {
    const sql = `INSERT INTO session (key, id, owner, network, title, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`;
    this.#db.run(sql, ++this.#lastKey, id, owner, network, title, at, at);
    return this.find(id, network) as StoredSession;
  }

  find(id: string, network: Network): StoredSession | undefined {
    const sql = `SELECT ${sessionColumns} FROM session WHERE id = ? AND network = ? AND deleted = 0`;
    return this.#db.get(sql, id, network);
  }

  /** Newest activity first. */
  list({ owner, network }: ChatOwner, limit: number, offset: number): { sessions: StoredSession[]; total: number } {
    const where = 'FROM session WHERE owner = ? AND network = ? AND deleted = 0';
    const total = this.#db.get<{ n: number }>(`SELECT count(*) AS n ${where}`, owner, network)?.n ?? 0;
    const sql = `SELECT ${sessionColumns} ${where} ORDER BY updated_at DESC, key DESC LIMIT ? OFFSET ?`;
    return { sessions: this.#db.all(sql, owner, network, limit, offset), total };
  }

  /** Adds a message to a session, unless that is gone: at its end, or as an answer in place of others. Answers its key. */
  append(session: number, message: NewMessage, at: { preview: string; instead?: Instead | undefined }): number | null {
    this.#keepDrafts();
    return this.#put(session, message, at);
  }

  #put(
    session: number,
    { id, role, content, extra, created_at }: NewMessage,
    { preview, instead }: { preview: string; instead?: Instead | undefined },
  ): number | null {
    return this.#db.transaction(() => {
      if (instead) {
        this.#db.run(
          `DELETE FROM message WHERE session = ? AND (key > ? AND key <= ? AND coalesce(question, ?) = ?
             OR key IN (SELECT value FROM json_each(?)))`,
          ...[session, instead.question, instead.last, instead.question, instead.question],
          JSON.stringify(instead.also ?? []),
        );
        this.#db.run('DELETE FROM draft WHERE question = ? AND turn <= ?', instead.question, instead.turn);
      }
      const sql = `UPDATE session SET updated_at = ?, preview = CASE WHEN EXISTS (
          SELECT 1 FROM message WHERE message.session = session.key AND ${place} > ?) THEN preview ELSE ? END
        WHERE key = ? AND deleted = 0`;
      const stands = instead?.question ?? chatEnd.place;
      if (this.#db.run(sql, created_at, stands, preview, session) === 0) return null;
      const key = ++this.#lastMessage;
      const insert = `INSERT INTO message (key, session, id, role, content, extra, created_at, question)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
      this.#db.run(insert, ...[key, session, id, role, content, extra, created_at, instead?.question ?? null]);
      return key;
    });
  }

  /** What there is of an answer, for a node that is killed before that is kept; of several to a question the one begun last. */
  draft(session: number, { id, content, extra, created_at }: Draft, preview: string, instead: Instead): void {
    this.#keepDrafts();
    const sql = `INSERT INTO draft (question, turn, last, session, id, content, extra, created_at, preview)
      SELECT ?, ?, ?, key, ?, ?, ?, ?, ? FROM session WHERE key = ? AND deleted = 0
      ON CONFLICT (question) DO UPDATE SET turn = excluded.turn, last = excluded.last, id = excluded.id,
        content = excluded.content, extra = excluded.extra, created_at = excluded.created_at, preview = excluded.preview
        WHERE excluded.turn >= turn`;
    const { question, turn, last } = instead;
    this.#db.run(sql, question, turn, last, id, content, extra, created_at, preview, session);
  }

  /** Keeps what a killed node has left, unless that cannot be written, on a full disk say: what is there can be read then, too. */
  keepLeft(): void {
    try {
      this.#keepDrafts();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** The answers that a node was killed in are kept as far as they came, as others are that end early: before anything else is. */
  #keepDrafts(): void {
    if (!this.#isLeft) return;
    type Left = Draft & Instead & { session: number; preview: string };
    const drafts = 'SELECT question, turn, last, session, id, content, extra, created_at, preview FROM draft';
    const answers = 'SELECT key FROM message WHERE session = ? AND question = ?';
    const left = this.#db.all<Left>(drafts);
    const put = () => {
      for (const { session, question, turn, last, preview, ...message } of left) {
        const also = this.#db.all<{ key: number }>(answers, session, question).map(({ key }) => key);
        const instead = { question, turn, last, also };
        // What was said while it was written may have taken its id.
        const id = this.message(session, message.id) ? randomUUID() : message.id;
        this.#put(session, { ...message, id, role: 'assistant' }, { preview, instead });
      }
      this.#db.run('DELETE FROM draft');
    };
    if (left.length > 0) this.#db.transaction(put);
    this.#isLeft = false;
  }

  message(session: number, id: string): StoredMessage | undefined {
    return this.#db.get(`SELECT ${messageColumns} FROM message WHERE session = ? AND id = ?`, session, id);
  }

  /** The one after a message, or the first. */
  next(session: number, after: MessagePlace = { place: 0, key: 0 }): StoredMessage | undefined {
    const sql = `SELECT ${messageColumns} FROM message WHERE session = ? AND ${place} >= ?
      AND (${place} > ? OR key > ?) ORDER BY ${place}, key LIMIT 1`;
    return this.#db.get(sql, session, after.place, after.place, after.key);
  }

  /** The one before a message. */
  previous(session: number, before: MessagePlace): StoredMessage | undefined {
    const sql = `SELECT ${messageColumns} FROM message WHERE session = ? AND ${place} <= ?
      AND (${place} < ? OR key < ?) ORDER BY ${place} DESC, key DESC LIMIT 1`;
    return this.#db.get(sql, session, before.place, before.place, before.key);
  }

  /** Removes the messages after one, some at a time. @returns how many were removed */
  removeAfter(session: number, after: number, limit: number): number {
    const some = 'SELECT key FROM message WHERE session = ? AND key > ? ORDER BY key LIMIT ?';
    return this.#db.run(`DELETE FROM message WHERE key IN (${some})`, session, after, limit);
  }

  /** Nobody finds the session any more; its messages and then itself are for `removeAfter` and `drop`. */
  hide(session: number): void {
    this.#db.transaction(() => {
      this.#db.run('UPDATE session SET deleted = 1, title = NULL, preview = NULL WHERE key = ?', session);
      this.#db.run('DELETE FROM draft WHERE session = ?', session);
    });
  }

  drop(session: number): void {
    this.#db.run('DELETE FROM session WHERE key = ? AND deleted = 1', session);
  }

  /** The hidden sessions: a node that stops while it deletes leaves some. */
  hidden(): number[] {
    return this.#db.all<{ key: number }>('SELECT key FROM session WHERE deleted = 1').map(({ key }) => key);
  }

  /** Why what is written stays in the database's log, in words; else null. */
  get checkpointFault(): string | null {
    return this.#db.checkpointFault;
  }

  close(): void {
    this.#db.close();
  }
}
