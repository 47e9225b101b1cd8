import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import {
  DomainError,
  ForbiddenError,
  LimitError,
  NotFoundError,
  UnavailableError,
  UnreachableError,
} from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { loadedOnce } from '../../model/loaded-once.ts';
import { requireUser, type UserIdentity } from '../../model/permissions.ts';
import { type AnswersTo, ChatStore, chatEnd, type Instead, type StoredSession } from '../../store/chats/chats.ts';
import type { Checkpoint } from '../../store/checkpoints/checkpoints.ts';
import { previewOf, readMessages, type Said, titleOf } from './messages.ts';
import { sessionJson } from './session-json.ts';
import type {
  ChatBody,
  ChatSessionsView,
  ChatStreamPart,
  ChatUsage,
  CitationView,
  ToolInvocationView,
} from './wire.ts';

/** What became of an answer so far; whoever makes it writes it here, so that what is interrupted is not lost. */
export interface AnswerRecord {
  text: string;
  toolInvocations: ToolInvocationView[];
  citations: CitationView[];
  usage: ChatUsage;
}

/** What is to be answered. */
export interface Question {
  /** Whose permissions the tools have. */
  caller: Caller;
  /** What was said, oldest first; the last is what the user asks. */
  history: Pick<Said, 'role' | 'text'>[];
  record: AnswerRecord;
  /** Ends the answer. */
  signal: AbortSignal;
}

/**
 * Makes an answer, in the parts of the stream between `start` and `finish`.
 * @throws UnreachableError, UnavailableError where the language model does not do its part
 */
export type Answering = (question: Question) => AsyncGenerator<ChatStreamPart>;

export interface ChatNeeds {
  /** The file of the conversations. */
  file: string;
  /** Null where no language model is set, with what to set; else loads what answers. */
  model: { missing: string } | { load: () => Promise<Answering> };
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number;
  /** How much the file may hold. */
  maxBytes: number;
  /** Finds out why what is written does not get into the file. */
  checkpoint: Checkpoint;
  now: () => number;
  log: Log;
}

/** An answer that begins when it is asked for its parts. */
export interface StartedAnswer {
  chatId: string;
  parts: (signal: AbortSignal) => AsyncGenerator<ChatStreamPart>;
  /** The last parts of an answer that failed. */
  failed: (error: unknown) => ChatStreamPart[];
}

/** An answer from its beginning on. */
interface Writing {
  /** The greater one was begun later. */
  turn: number;
  ended: boolean;
  /** The key of the message that is kept of it. */
  kept: number | null;
}

const maxAtOnce = 16;
/** How often what there is of an answer goes to the disk. */
const draftEveryMs = 1000;
/** How much of a session goes to the language model. */
const context = { messages: 40, characters: 200_000 };
/** Messages that are removed before others get their turn. */
const removedAtOnce = 20;

/** Conversations of users with a language model about what the node holds (wire-contract.md 2.3). */
export class ChatService implements AsyncDisposable {
  readonly #needs: ChatNeeds;
  #chats: ChatStore | undefined;
  #answering: (() => Promise<Answering>) | undefined;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** By the key of a question its answers, while one is being written: asked again meanwhile, the one that was begun last stays. */
  readonly #writing = new Map<number, Writing[]>();
  #turns = 0;

  constructor(needs: ChatNeeds) {
    this.#needs = needs;
  }

  list(caller: Caller, limit: number, offset: number): ChatSessionsView {
    const owner = { owner: asking(caller).id, network: caller.network };
    const { sessions, total } = this.#store().list(owner, limit, offset);
    return {
      chats: sessions.map((session) => ({
        id: session.id,
        title: session.title,
        createdAt: new Date(session.created_at).toISOString(),
        updatedAt: new Date(session.updated_at).toISOString(),
        lastMessagePreview: session.preview,
      })),
      total,
      hasMore: offset + sessions.length < total,
    };
  }

  /** The session with its messages as JSON, in pieces: a long one is never in memory as a whole. */
  read(caller: Caller, id: string): AsyncGenerator<Uint8Array> {
    const session = this.#own(caller, asking(caller), id);
    return sessionJson(this.#store(), session);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { key } = this.#own(caller, asking(caller), id);
    this.#store().hide(key);
    await this.#discard(key);
  }

  /**
   * Keeps what the user says, in the session of that id or a new one, and prepares the answer.
   * @throws LimitError, NotFoundError, ForbiddenError, UnavailableError
   */
  async send(caller: Caller, { messages }: ChatBody, chatId: string | undefined): Promise<StartedAnswer> {
    registered(caller);
    const { asked, before } = readMessages(messages);
    const user = asking(caller);
    const known = chatId === undefined ? null : this.#own(caller, user, chatId);
    const answering = await this.#loaded();
    this.#checkRoom();
    const session = known ?? (await this.#begin(caller, user, asked, before));
    const instead = this.#ask(session, asked);
    const history = this.#history(session, instead.question, asked);
    const record = { text: '', toolInvocations: [], citations: [], usage: { input_tokens: 0, output_tokens: 0 } };
    const question = { caller, history, record };
    const parts = (signal: AbortSignal) => this.#answer(session, instead, answering, { ...question, signal });
    return { chatId: session.id, parts, failed: (error) => this.#failed(error, record) };
  }

  /** Why what is written stays in the log of the file, in words; else null. */
  get checkpointFault(): string | null {
    return this.#chats?.checkpointFault ?? null;
  }

  /** Which file the conversations are in (file-identity.ts); null where nobody has looked at them yet. */
  get fileId(): string | null {
    return this.#chats?.fileId ?? null;
  }

  #store(): ChatStore {
    if (!this.#chats) {
      const chats = new ChatStore(this.#needs.file, this.#needs.checkpoint);
      this.#chats = chats;
      for (const key of chats.hidden())
        this.#discard(key).catch((error: unknown) =>
          this.#needs.log.warn({ err: error }, 'a deleted chat is still there'),
        );
    }
    this.#chats.keepLeft();
    return this.#chats;
  }

  #own({ network }: Caller, { ids }: UserIdentity, id: string): StoredSession {
    const session = this.#store().find(id, network);
    if (!session) throw NotFoundError.of('There is no such chat session');
    if (!ids.includes(session.owner)) throw new ForbiddenError('Forbidden: This chat session is of another user');
    return session;
  }

  #loaded(): Promise<Answering> {
    const { model } = this.#needs;
    if ('missing' in model) throw unavailable(model.missing);
    this.#answering ??= loadedOnce(model.load);
    return this.#answering();
  }

  #checkRoom(): void {
    const { maxBytes } = this.#needs;
    if (this.#store().bytes() < maxBytes) return;
    throw new LimitError('STORAGE_FULL', {
      label: 'CHAT_STORAGE_FULL',
      message: 'The storage of chats is full: delete sessions that are no longer needed (DELETE /chat/sessions/{id}).',
      limit: maxBytes >= 2 ** 30 ? `${+(maxBytes / 2 ** 30).toFixed(1)}GB` : `${+(maxBytes / 2 ** 20).toFixed(1)}MB`,
    });
  }

  async #begin({ network }: Caller, user: UserIdentity, asked: Said, before: Said[]): Promise<StoredSession> {
    const title = titleOf((before[0] ?? asked).text);
    const session = this.#store().create({ id: randomUUID(), owner: user.id, network, title, at: this.#needs.now() });
    for (const [i, one] of before.entries()) {
      this.#append(session, one);
      if (i % removedAtOnce === removedAtOnce - 1) await turn();
    }
    return session;
  }

  /** The asked message with its answers: asked again, it stays where it is, and they until another one is kept. */
  #ask(session: StoredSession, asked: Said): AnswersTo {
    const asking = this.#lastAsked(session);
    if (asking !== undefined && asking.id === asked.id && asking.content === asked.text)
      return { question: asking.key, last: this.#last(session)?.key ?? asking.key };
    const key = this.#append(session, asked);
    if (key === null) throw NotFoundError.of('There is no such chat session');
    return { question: key, last: key };
  }

  #last({ key }: StoredSession) {
    return this.#store().previous(key, chatEnd);
  }

  #lastAsked(session: StoredSession) {
    let message = this.#last(session);
    while (message !== undefined && message.role !== 'user') message = this.#store().previous(session.key, message);
    return message;
  }

  /** A message under its own id where nothing in the session has that. */
  #append(
    session: StoredSession,
    { id, role, text }: Said,
    { extra = null, instead }: { extra?: string | null; instead?: Instead } = {},
  ): number | null {
    const usable = id.length > 0 && id.length <= 200 && !this.#store().message(session.key, id);
    const message = { id: usable ? id : randomUUID(), role, content: text, extra, created_at: this.#needs.now() };
    return this.#store().append(session.key, message, { preview: previewOf(text), instead });
  }

  /** What goes to the language model: the question whole, and what was said before it as far as there is room. */
  #history({ key }: StoredSession, before: number, asked: Said): Question['history'] {
    const history: Question['history'] = [asked];
    let characters = asked.text.length;
    let message = this.#store().previous(key, { place: before, key: before });
    while (message !== undefined && history.length < context.messages) {
      characters += message.content.length;
      if (characters > context.characters) break;
      history.unshift({ role: message.role as Said['role'], text: message.content });
      message = this.#store().previous(key, message);
    }
    return history;
  }

  async *#answer(
    session: StoredSession,
    instead: AnswersTo,
    answering: Answering,
    { signal, ...question }: Question,
  ): AsyncGenerator<ChatStreamPart> {
    if (this.#running.size >= maxAtOnce)
      throw unavailable(`${maxAtOnce} answers are being written already. Try again when one has ended.`);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running.add(ended);
    const { timeoutMs } = this.#needs;
    const late = AbortSignal.timeout(timeoutMs);
    const ends = AbortSignal.any([signal, this.#closing.signal, late]);
    const id = randomUUID();
    const { record } = question;
    const own = this.#begun(instead.question);
    let [isDrafted, isLonger] = [false, false];
    const draft = () => {
      if (!this.#draft(session, instead, own, { id, ...record })) return;
      [isDrafted, isLonger] = [true, false];
    };
    // Also while the language model, or a tool of it, takes its time.
    const drafting = setInterval(() => isLonger && draft(), draftEveryMs).unref();
    try {
      let begun = false;
      for await (const part of answering({ ...question, signal: ends })) {
        // The first part is there when the language model has answered: until then a failure is an answer of its own.
        if (!begun) yield { type: 'start', messageId: id, messageMetadata: { chatId: session.id } };
        begun = true;
        isLonger = true;
        if (!isDrafted) draft();
        yield part;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (this.#closing.signal.aborted) throw unavailable('The node is stopping. Ask again when it runs.');
      if (error instanceof DomainError) this.#needs.log.warn({ reason: error.sentence }, 'an answer failed');
      if (!late.aborted) throw error;
      throw new UnreachableError(
        `The language model has not ended its answer within ${timeoutMs / 1000} seconds (ARCHEION_CHAT_TIMEOUT).`,
      );
    } finally {
      clearInterval(drafting);
      this.#keep(session, instead, own, { id, ...record });
      this.#endOf(instead.question, own);
      this.#running.delete(ended);
      end();
    }
    yield* ending(record);
  }

  #begun(question: number): Writing {
    const own: Writing = { turn: ++this.#turns, ended: false, kept: null };
    this.#writing.set(question, [...(this.#writing.get(question) ?? []), own]);
    return own;
  }

  #endOf(question: number, own: Writing): void {
    own.ended = true;
    if (this.#writing.get(question)?.every(({ ended }) => ended)) this.#writing.delete(question);
  }

  /** Whether there was something to write down for a node that is killed. */
  #draft(session: StoredSession, answers: AnswersTo, own: Writing, record: AnswerRecord & { id: string }): boolean {
    if (isEmpty(record) || this.#isSuperseded(answers, own)) return false;
    const { id, text } = record;
    try {
      const draft = { id, content: text.toWellFormed(), extra: extraOf(record), created_at: this.#needs.now() };
      this.#store().draft(session.key, draft, previewOf(draft.content), { ...answers, turn: own.turn });
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'what there is of an answer could not be kept');
    }
    return true;
  }

  #isSuperseded({ question }: AnswersTo, { turn }: Writing): boolean {
    return this.#writing.get(question)?.some((one) => one.turn > turn && one.kept !== null) ?? false;
  }

  /** Also what there is of an answer that was interrupted; nothing where one that was begun later is kept. */
  #keep(session: StoredSession, answers: AnswersTo, own: Writing, record: AnswerRecord & { id: string }): void {
    if (isEmpty(record) || this.#isSuperseded(answers, own)) return;
    const all = this.#writing.get(answers.question) ?? [];
    const instead = { ...answers, also: all.flatMap(({ kept }) => kept ?? []), turn: own.turn };
    try {
      const said = { id: record.id, role: 'assistant' as const, text: record.text.toWellFormed() };
      own.kept = this.#append(session, said, { extra: extraOf(record), instead });
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'an answer could not be kept');
    }
  }

  #failed(error: unknown, record: AnswerRecord): ChatStreamPart[] {
    const errorText = error instanceof DomainError ? error.sentence : 'Internal server error';
    return [{ type: 'error', errorText }, ...ending(record)];
  }

  async #discard(key: number): Promise<void> {
    while (this.#store().removeAfter(key, 0, removedAtOnce) === removedAtOnce) await turn();
    this.#store().drop(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
    this.#chats?.close();
  }
}

/** @throws UnauthorizedError, ForbiddenError for whoever is no user */
function asking(caller: Caller): UserIdentity {
  return requireUser(registered(caller), 'chat');
}

function unavailable(reason: string): UnavailableError {
  return new UnavailableError('Service unavailable', { service: 'chat', reason });
}

function isEmpty({ text, toolInvocations }: AnswerRecord): boolean {
  return text === '' && toolInvocations.length === 0;
}

/** JSON of what belongs to an answer beside its text. */
function extraOf({ toolInvocations, citations }: AnswerRecord): string | null {
  const extra = {
    ...(toolInvocations.length > 0 && { toolInvocations }),
    ...(citations.length > 0 && { citations }),
  };
  return Object.keys(extra).length > 0 ? JSON.stringify(extra) : null;
}

/** The SDK knows the usage as metadata, the wire contract as a part of its own, the last. */
function ending({ usage }: AnswerRecord): ChatStreamPart[] {
  return [
    { type: 'finish', messageMetadata: { usage } },
    { type: 'message_delta', delta: { usage } },
  ];
}
