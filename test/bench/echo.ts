import express from 'express';
import { sampleWire } from './samples.ts';

// The baseline: a bare express route that parses and echoes the same JSON.
const app = express();
app.use(express.json({ limit: '32mb' }));
app.get('/echo', (_request, response) => {
  response.json(sampleWire);
});
app.post('/echo', (request, response) => {
  response.json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}` } })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
