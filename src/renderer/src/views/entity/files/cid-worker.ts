import { cidOf } from './cid-of.ts';

// Runs in a thread of its own: to hash hundreds of megabytes holds up the page for a second or two.

self.addEventListener('message', async ({ data }: MessageEvent<File>) => self.postMessage(await cidOf(data)));
