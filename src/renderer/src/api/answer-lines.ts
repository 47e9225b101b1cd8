import { answered, tellSignedOut } from './client.ts';
import { Failure, failureOf, isSignedOut } from './failure.ts';
import { jsonLines } from './lines.ts';

/** A line of an answer that comes piece by piece: something on the way, the end of it, or why there is none. */
interface Line<P, D> {
  progress?: P;
  done?: D;
  error?: string;
  details?: Record<string, unknown>;
  /** Of the answer that an error would have been. */
  status?: number;
}

/**
 * What a streamed answer ends with; what is on the way is told as it comes.
 * @throws Failure where it broke off, or says why it could not go on
 */
export async function endOf<P, D>(
  request: Promise<{ data?: unknown; error?: unknown; response: Response }>,
  onProgress: (progress: P) => void = () => undefined,
): Promise<D> {
  const stream = (await answered(request)) as ReadableStream<Uint8Array>;
  for await (const line of jsonLines<Line<P, D>>(stream)) {
    if (line.error !== undefined) throw refusalOf(line);
    if (line.progress) onProgress(line.progress);
    if (line.done) return line.done;
  }
  throw new Failure('unreachable', 'the answer ended early');
}

function refusalOf(line: { status?: number }): Failure {
  const failure = failureOf(line.status ?? 500, line);
  if (isSignedOut(failure)) tellSignedOut();
  return failure;
}
