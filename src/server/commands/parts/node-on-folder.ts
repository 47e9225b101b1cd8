import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { FolderInUseError } from '../../errors.ts';
import { isAlive, type NodeFile, nodeFilePath, readNodeFile } from '../../node-file.ts';
import { identityFile } from '../../store/accounts/identity-schema.ts';
import { operatorKeyFile } from '../../store/accounts/operator-key.ts';
import { FailureError } from './failure.ts';
import type { Shell } from './shell.ts';
import { whileInUse } from './while-in-use.ts';

/** When it is said that this waits, and when it gives up, in milliseconds. */
const [saidAfterMs, atMostMs] = [2000, 60_000];
/** So many times in a row a node may leave a question without an answer: a busy machine keeps one from it for a moment. */
const mostSilences = 3;

/**
 * The node that answers for a data folder as another process, else null: then `start` has begun one. While a process has the
 * folder that does not answer, as one that starts or ends, this waits for either. @throws FailureError, what `start` throws
 */
export async function nodeOnFolder(
  data: string,
  shell: Pick<Shell, 'err' | 'stopped'>,
  start: () => Promise<void>,
): Promise<NodeFile | null> {
  refuseOthers(data);
  let isSaid = false;
  let silences = 0;
  let silent: string | null = null;
  const attempt = async () => {
    const known = await readNodeFile(data);
    const isAnswering = known !== null && (await isAlive(known));
    silences = isAnswering === null ? silences + 1 : 0;
    silent = isAnswering === null ? (known?.url ?? null) : null;
    // Anybody may answer where a node was that was killed: the operator's key is for the one that has the folder.
    if (known && isAnswering && (await isHeld(data))) return known;
    try {
      await start();
    } catch (error) {
      // It has begun to answer before, and does not go on.
      if (known && silences >= mostSilences && error instanceof FolderInUseError)
        throw new FailureError(`The node of ${data} does not answer at ${known.url}. ${error.message}`);
      throw error;
    }
    return null;
  };
  return whileInUse(shell, atMostMs, attempt, (waited) => {
    if (waited <= saidAfterMs || isSaid) return;
    const who =
      silent === null
        ? `Another process has the data folder ${data}, as a node that starts, or one whose disk is full`
        : `The node of ${data} does not answer at ${silent} yet`;
    shell.err(`${who}: waiting until it answers or ends.`);
    isSaid = true;
  });
}

/** Who may not read where the node is, or its key, would be told that none runs, or wait for it, or start one. @throws FailureError */
export function refuseOthers(data: string): void {
  const key = operatorKeyFile(data);
  for (const file of [nodeFilePath(data), key])
    try {
      readFileSync(file);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // A key that was put there as somebody else is the folder's owner's to make readable, which is said by itself.
      if (code === 'EACCES' && (file !== key || ownerOf(key) === ownerOf(data)))
        throw new FailureError(
          `The data folder ${data} is another user's (${message}): run this command as the user that its node runs as.`,
        );
    }
}

/**
 * What root makes the user of a node may not read, which could not start any more, or, as a service that is just being started, never.
 * @throws FailureError
 */
export function refuseRoot(data: string): void {
  const owner = ownerOf(join(data, identityFile)) ?? ownerOf(data) ?? 0;
  if (geteuid?.() !== 0 || owner === 0) return;
  throw new FailureError(
    `No node runs on ${data}, and it is another user's, who may not read what root makes there: run this command as that user (sudo -u '#${owner}' archeion ...), or while its node runs.`,
  );
}

/** Undefined where it is not there. */
function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}

async function isHeld(data: string): Promise<boolean> {
  const { isLocked } = await import('../../store/lock.ts');
  return isLocked(data);
}
