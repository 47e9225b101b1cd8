import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to connections and to those who ask for any port: nobody comes by one of these by chance. */
const [first, count] = [20_000, 12_000];

/** A port of this machine that nobody has: for what has to be found again where it was. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
