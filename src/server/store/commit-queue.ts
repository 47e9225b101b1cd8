import { BusyError, closing, StorageError } from '../errors.ts';
import { loopShare } from '../loop/loop-share.ts';
import { jsonLength } from '../model/json-length.ts';
import { blocksTotal, type Commit, type Outcome, type Row } from './commit.ts';
import { commitProblem } from './commit-check.ts';
import { type Connection, openWriter } from './connection.ts';
import { type Answer, GroupCommit } from './group.ts';
import { asStorageError } from './storage-error.ts';

/** The one door for writes: submissions go to the network's writer, and each is answered when it is on disk. */
export interface CommitQueue {
  /**
   * One outcome for each commit, in order; each commit is all or nothing. Throws BusyError when 64 MB wait already,
   * StorageError where the database failed: then nothing of the group in hand is kept (a submission of more than one
   * group may have earlier commits on disk); or where the writer died, or the disk failed and went on failing: then it is not known
   * what is kept. A commit that is malformed by itself is an Error at once, and nothing of
   * its submission is written.
   */
  submit(commits: Commit[]): Promise<Outcome[]>;
  load(): QueueLoad;
  /** Writes what was submitted before, then refuses everything. */
  close(): Promise<void>;
}

/** What a queue has done and holds. */
export interface QueueLoad {
  /** Groups that were answered. */
  groups: number;
  /** What waits, in bytes. */
  waitingBytes: number;
  /** Why the last checkpoint could not be made, in words; null where it could, or nobody was asked for one. */
  checkpointFault: string | null;
}

const maxWaitingBytes = 64 * 1024 * 1024;

interface Submission {
  size: number;
  /** What goes on when it is answered is a lot of work, and takes turns with its like. */
  inTurn: boolean;
  resolve: (outcomes: Outcome[]) => void;
  reject: (error: unknown) => void;
}

/** Submissions that wait for an answer, in memory; what both kinds of queue share. */
export class Waiting {
  readonly #submissions = new Map<number, Submission>();
  #seq = 0;
  #bytes = 0;
  #groups = 0;

  /** Takes a submission in, or throws; `send` passes it on under its number. */
  add(commits: Commit[], send: (seq: number) => void): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      const size = sizeOf(commits);
      if (this.#bytes > 0 && this.#bytes + size > maxWaitingBytes) throw new BusyError();
      this.#bytes += size;
      const seq = ++this.#seq;
      const inTurn = commits.some(({ rows }) => rows.some(({ kind }) => kind === 'job' || kind === 'job_sending'));
      this.#submissions.set(seq, { size, inTurn, resolve, reject });
      send(seq);
    });
  }

  load(): Omit<QueueLoad, 'checkpointFault'> {
    return { groups: this.#groups, waitingBytes: this.#bytes };
  }

  /** Answers those of one group. */
  answerGroup(answers: { seq: number; answer: Answer }[]): void {
    this.#groups++;
    for (const { seq, answer } of answers) this.answer(seq, answer);
  }

  answer(seq: number, answer: Answer): void {
    const submission = this.#submissions.get(seq);
    if (!submission) return;
    this.#submissions.delete(seq);
    this.#bytes -= submission.size;
    const tell = () => {
      if ('error' in answer) submission.reject(new StorageError(answer.error.reason, answer.error.full));
      else submission.resolve(answer.outcomes);
    };
    if (submission.inTurn) loopShare.run(tell);
    else tell();
  }

  /** Every submission that waits fails for the same reason. */
  fail(reason: string, full = false): void {
    for (const seq of [...this.#submissions.keys()]) this.answer(seq, { error: { reason, full } });
  }
}

/** About what a submission weighs in memory, in bytes. Throws where a commit is malformed. */
function sizeOf(commits: Commit[]): number {
  let size = 0;
  for (const commit of commits) {
    const problem = commitProblem(commit);
    if (problem !== null) throw new Error(`a malformed commit: ${problem}`);
    const { count, bytes } = blocksTotal(commit);
    size += bytes + 256 * (1 + commit.changes.length + commit.preconditions.length + commit.rows.length + count);
    for (const row of commit.rows) size += bodyOf(row);
  }
  return size;
}

/** What a row has in it that may be long, in bytes. */
function bodyOf(row: Row): number {
  switch (row.kind) {
    case 'additive':
      return row.body.length;
    case 'job':
      return jsonLength(row.job.request);
    case 'job_batch':
      return jsonLength(row.batch);
    default:
      return 0;
  }
}

/** A queue over a writer in this thread: for tests, and for tools that open the store by themselves. */
export function inProcessQueue(file: string, open: (file: string) => Connection = openWriter): CommitQueue {
  const waiting = new Waiting();
  const group = openGroup(() => open(file));
  let closed = false;
  let answers: { seq: number; answer: Answer }[] = [];
  const send = () => {
    waiting.answerGroup(answers);
    answers = [];
  };
  return {
    submit: async (commits) => {
      if (closed) throw new StorageError(closing);
      const answered = (seq: number) => (answer: Answer) => {
        if (answers.push({ seq, answer }) === 1) queueMicrotask(send);
      };
      return waiting.add(commits, (seq) => group.submit(commits, answered(seq)));
    },
    load: () => ({ ...waiting.load(), checkpointFault: null }),
    close: async () => {
      closed = true;
      group.close();
    },
  };
}

function openGroup(open: () => Connection): GroupCommit {
  try {
    return new GroupCommit(open);
  } catch (error) {
    throw asStorageError(error);
  }
}
