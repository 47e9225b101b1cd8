import type { Stats } from 'node:fs';
import send from 'send';
import { NotFoundError } from '../errors.ts';
import { refuseRevoked } from '../model/caller.ts';
import { pumpFile } from './file-pump.ts';
import { sendJson } from './stored-json.ts';
import type { StreamRequest } from './streams.ts';
import { suffixFitted } from './suffix-range.ts';

/** Kept bytes and how they are answered. */
export interface FileAnswer {
  folder: string;
  /** In the folder, with slashes; of the node's own making. */
  path: string;
  headers: Record<string, string>;
}

/**
 * Answers with a file's bytes, no faster than they are read: whole or a range, or that what the client has is current.
 * `ETag` stands in the headers. @throws NotFoundError before the first byte
 */
export function answerFile(request: StreamRequest, { folder, path, headers }: FileAnswer): Promise<void> {
  const response = request.res;
  const options = { root: folder, dotfiles: 'allow', cacheControl: false, lastModified: false, index: false } as const;
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { status?: number }) => {
      if (response.headersSent) return void response.destroy();
      const range = response.getHeader('Content-Range');
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      if (error.status === 412) sendJson(response, 412, { error: 'Precondition Failed: the content is another one' });
      else if (error.status === 416)
        sendJson(response, 416, { error: 'Range Not Satisfiable' }, { 'Content-Range': String(range) });
      else reject(error.status === 404 ? NotFoundError.of(gone) : error);
    };
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    for (const [name, value] of Object.entries({ ...constantHeaders, ...headers })) response.setHeader(name, value);
    // Every `fetch` says `no-cache` beside a condition of its caller's: that is for caches, and `send` would not answer 304.
    delete request.headers['cache-control'];
    // Without a date of its own an answer has none that could be later (RFC 9110, 13.1.4).
    delete request.headers['if-unmodified-since'];
    const fit = (_file: string, { size }: Stats) => {
      request.headers.range = suffixFitted(request.headers.range, size);
    };
    const sending = send(request, path, options).on('error', failed).on('file', fit);
    // What `send` has found out is answered; its own way of reading would make garbage of every 64 kB.
    const stream = (file: string, { start }: { start: number }) =>
      void pumpFile(response, file, start, Number(response.getHeader('Content-Length')), () =>
        refuseRevoked(request.caller),
      ).catch(failed);
    Object.assign(sending, { stream }).pipe(response);
  });
}

const gone = 'The bytes of this content are not on this node any more';

/** What is stored is never run: not as a page of this node, not in a frame, and not as another type than it says. */
const constantHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};
