/** Why a connection did not come about: it must not, or could not. Nothing was sent over it. */
export class ConnectError extends Error {
  readonly fault: 'forbidden' | 'unreachable';
  constructor(fault: 'forbidden' | 'unreachable', message: string) {
    super(message);
    this.fault = fault;
  }
}

/** What of an error of Node's is told. */
export function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message ?? 'unknown').slice(0, 100);
}
