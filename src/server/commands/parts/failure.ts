/** What ends a command with one sentence: 1 where the data or the node is wrong, 2 where the command line is. */
export class FailureError extends Error {
  override readonly name: string = 'FailureError';
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A node that was gone before it had answered. */
export class LostNodeError extends FailureError {
  override readonly name = 'LostNodeError';
}

/** What a node refused, in its own words; `status` is that of its answer, `body` the answer. */
export class RefusedError extends FailureError {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    super(refusalText(body) ?? `The node answered with status ${status}.`, status === 400 ? 2 : 1);
    this.status = status;
    this.body = body;
  }
}

/** The words of an error's body: its issues, each with its place, or its reason, or the error itself. */
function refusalText(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string') return null;
  const details = 'details' in body && typeof body.details === 'object' && body.details !== null ? body.details : {};
  if ('issues' in details && Array.isArray(details.issues)) return details.issues.map(issueText).join('; ');
  if (!('reason' in details) || typeof details.reason !== 'string') return body.error;
  return body.error.includes(details.reason) ? body.error : `${body.error}: ${details.reason}`;
}

/** One issue as words. A message that names its place itself (a file and a line) is left as it is. */
export function issueText(issue: { path?: (string | number)[]; message?: string }): string {
  const { path = [], message = '' } = issue;
  const named = path.length === 0 || message.startsWith(`${path[0]}`) || message.startsWith('mapping');
  return named ? message : `${path.join('.')}: ${message}`;
}
