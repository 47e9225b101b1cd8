import { cidOf } from './cid-of.ts';

// Runs in a thread of its own: to hash hundreds of megabytes holds up the page for a second or two.

/** The CID of the file that was asked for, or why it cannot be told. */
export type CidAnswer = { cid: string } | { failed: string };

self.addEventListener('message', ({ data }: MessageEvent<File>) => {
  const tell = (answer: CidAnswer) => self.postMessage(answer);
  cidOf(data).then(
    (cid) => tell({ cid }),
    (error: unknown) => tell({ failed: String(error) }),
  );
});
