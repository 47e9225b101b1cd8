import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** Listens on a free port of the loopback and says where. */
export function listen(app: Pick<Express, 'listen'>): void {
  const server = app.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}` } })}\n`);
  });
}
