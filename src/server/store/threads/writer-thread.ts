import { parentPort, workerData } from 'node:worker_threads';
import type { Commit } from '../commit.ts';
import { openWriter } from '../connection.ts';
import { fileIdentity, sameFileCheck } from '../file-identity.ts';
import { type Answer, GroupCommit } from '../group.ts';
import { migrations, type UpgradeStep } from '../migrations/migrate.ts';
import { storageError } from '../storage-error.ts';

/** Messages to the writer thread. */
export type ToWriter =
  | { submissions: { seq: number; commits: Commit[] }[] }
  /** The checkpoint that it asked for is made: how many pages the log has, null where it could not be made. */
  | { checkpointed: number | null }
  | { close: true };
/**
 * Messages from it: which step of an upgrade begins, `ready`, with which file the database is, or `failed` once, then answers in the
 * order in which groups end, and where others make checkpoints, that one is due; closing ends the thread.
 */
export type FromWriter =
  | { upgrade: UpgradeStep }
  | { ready: true; fileId: string | null }
  | { failed: { reason: string; full: boolean } }
  | { due: true }
  | { answers: { seq: number; answer: Answer }[] };

/** What the thread is started with. */
export interface WriterData {
  file: string;
  /** Whether somebody else makes checkpoints when they are due. */
  asks: boolean;
  /** Which file an earlier writer had open (file-identity.ts); null for the first one. */
  fileId: string | null;
}

const port = parentPort;
if (port) {
  const post = (message: FromWriter) => port.postMessage(message);
  try {
    const { file, asks, fileId } = workerData as WriterData;
    if (fileId !== null) sameFileCheck(file, fileId)();
    serve(
      new GroupCommit(
        () => openWriter(file, migrations, (upgrade) => post({ upgrade })),
        asks ? () => post({ due: true }) : null,
      ),
      post,
    );
    post({ ready: true, fileId: fileIdentity(file) });
  } catch (error) {
    post({ failed: storageError(error) });
    port.close();
  }
}

function serve(group: GroupCommit, post: (message: FromWriter) => void): void {
  let answers: { seq: number; answer: Answer }[] = [];
  const send = () => {
    if (answers.length > 0) post({ answers });
    answers = [];
  };
  port?.on('message', (message: ToWriter) => {
    if ('close' in message) {
      group.close();
      // Now: once the port is closed, nothing gets through.
      send();
      port.close();
      return;
    }
    if ('checkpointed' in message) {
      group.checkpointed(message.checkpointed);
      return;
    }
    for (const { seq, commits } of message.submissions)
      group.submit(commits, (answer) => {
        if (answers.push({ seq, answer }) === 1) queueMicrotask(send);
      });
  });
}
