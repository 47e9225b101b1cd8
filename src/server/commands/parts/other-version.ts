import { version as ours } from '../../generated/version.ts';
import { FailureError } from './failure.ts';

/** A node that runs in another process, as its node.json has it. */
export interface AskedNode {
  url: string;
  version: string;
}

/** A node of another version does not know an endpoint, or answers otherwise than the command expects. */
export class OtherVersionError extends FailureError {
  override readonly name = 'OtherVersionError';
  /** `fault`: what the command met in an answer. */
  constructor({ url, version }: AskedNode, fault?: TypeError) {
    const order = version.localeCompare(ours, 'en', { numeric: true });
    const anew = 'stop it and start it again with this program ("archeion serve").';
    const said =
      order === 0
        ? `It may be another build of Archeion ${ours}: ${anew}`
        : order < 0
          ? `It is Archeion ${version}, which is older than this command (${ours}): ${anew}`
          : `It is Archeion ${version}, which is newer than this command (${ours}): use the program that it was started with.`;
    // Of the same version it may as well be a fault of ours.
    const place = fault && order === 0 ? `\n${fault.stack}` : '';
    super(`The node at ${url} does not know what this command asks, or answers it otherwise. ${said}${place}`);
  }
}

/** Whether an answer is the one of a node that has no such endpoint. */
export function isUnknownEndpoint(status: number, body: unknown): boolean {
  return status === 404 && JSON.stringify(body) === '{"error":"Not found"}';
}
