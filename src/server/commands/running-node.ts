import { join } from 'node:path';
import { UnavailableError } from '../errors.ts';
import { readNodeFile } from '../node-file.ts';
import { readOperatorKey } from '../store/operator-key.ts';

/** A node that runs on a data folder, and what the operator's requests to it carry. */
export interface FoundNode {
  url: string;
  authorization: string;
}

/** How long a node of this machine may take to answer, in milliseconds. */
const patience = 10_000;

/**
 * The node that runs on a data folder: the one that its node.json names, while it says that it is that one. Only then it
 * is sent the operator's key. @throws UnavailableError where none runs
 */
export async function findRunningNode(data: string): Promise<FoundNode> {
  const named = await readNodeFile(data);
  if (named === null || !(await isInstance(named.url, named.instance)))
    throw new UnavailableError(`No node runs on ${data}: start one with "archeion serve".`);
  const key = readOperatorKey(join(data, 'operator.key'));
  if (key === null) throw new UnavailableError(`The operator's key in ${data} cannot be read.`);
  return { url: named.url, authorization: `ApiKey ${key}` };
}

async function isInstance(url: string, instance: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { redirect: 'error', signal: AbortSignal.timeout(patience) });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'instance' in body && body.instance === instance;
  } catch {
    return false;
  }
}
