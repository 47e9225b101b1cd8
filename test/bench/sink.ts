import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';

// The baseline of files: a bare express route that writes a body to disk with its SHA-256 and an fsync, and one that
// sends it back. The folder is the argument.
const folder = process.argv[2] ?? '.';
const app = express();
app.post('/bytes', async (request, response) => {
  const name = randomUUID();
  const file = await open(join(folder, name), 'wx');
  const hash = createHash('sha256');
  for await (const chunk of request) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.sync();
  await file.close();
  response.json({ name, sha256: hash.digest('hex') });
});
app.get('/bytes/:name', (request, response) => {
  createReadStream(join(folder, request.params.name)).pipe(response);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}` } })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
