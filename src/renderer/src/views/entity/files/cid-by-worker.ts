import { Failure } from '../../../api/failure.ts';
import { type CidAnswer, cidOf } from './cid-of.ts';

/** The CID that the node gives a file's bytes, unless that is given up. @throws Failure */
export async function cidByWorker(file: File, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // A page of another host that came by plain http has none, whatever its type says.
  if (!crypto.subtle) throw new Failure('insecure', 'crypto.subtle');
  const worker = new Worker(new URL('./cid-worker.ts', import.meta.url), { type: 'module' });
  const { promise, resolve, reject } = Promise.withResolvers<CidAnswer>();
  worker.addEventListener('message', ({ data }: MessageEvent<CidAnswer>) => resolve(data));
  // Its script does not come from a node that is away, or has another build by now, which is no fault of the file.
  worker.addEventListener('error', () => resolve(cidOf(file)));
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  worker.postMessage(file);
  try {
    const answer = await promise;
    if ('failed' in answer) throw new Failure('unreadable', answer.failed);
    return answer.cid;
  } finally {
    worker.terminate();
  }
}
