import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

const bufferBytes = 64 * 1024;

/**
 * Writes `length` of a file's bytes from `start` on and ends the response. One buffer is read into while the other
 * is on its way, so that a download costs two of them, however large and however slow its reader: streams make one a
 * read, and tens of megabytes gather before they are collected. It ends quietly where the client leaves.
 * `allow` is asked before each read. @throws what that, opening or reading the file does, or that it is shorter
 */
export async function pumpFile(
  response: ServerResponse,
  path: string,
  start: number,
  length: number,
  allow: () => void,
): Promise<void> {
  const file = await open(path, 'r');
  try {
    const buffers = [Buffer.allocUnsafeSlow(bufferBytes), Buffer.allocUnsafeSlow(bufferBytes)] as const;
    let sent: Promise<void> = Promise.resolve();
    const end = start + length;
    for (let at = start, n = 0; at < end && !response.destroyed; n++) {
      allow();
      const buffer = buffers[n % 2 === 0 ? 0 : 1];
      const { bytesRead } = await file.read(buffer, 0, Math.min(bufferBytes, end - at), at);
      if (bytesRead === 0) throw new Error(`${path} is shorter than it was`);
      await sent;
      sent = written(response, buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    await sent;
    response.end();
  } finally {
    await file.close();
  }
}

/** Resolves when the bytes have been handed to the system, or nobody waits for them any more. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(bytes, done);
  });
}
