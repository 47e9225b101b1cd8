import { createNodeEngines } from '@surrealdb/node';
import express from 'express';
import { RecordId, Surreal } from 'surrealdb';
import { listen } from './ready.ts';

// SurrealDB in this process, on RocksDB, behind bare express: a graph of records and an index of their vectors.
const [folder = ''] = process.argv.slice(2);
const db = new Surreal({ engines: createNodeEngines() });
await db.connect(`rocksdb://${folder}`);
await db.use({ namespace: 'bench', database: 'bench' });
await db.query('DEFINE TABLE work; DEFINE TABLE leads TYPE RELATION IN work OUT work;');

const app = express();
app.use(express.json({ limit: '64mb' }));
app.post('/works', async (request, response) => {
  const works = (request.body as { id: string; vector?: number[] }[]).map((work) => ({
    ...work,
    id: new RecordId('work', work.id),
  }));
  await db.query('INSERT INTO work $works ON DUPLICATE KEY UPDATE vector = $input.vector RETURN NONE', { works });
  response.json({});
});
app.post('/edges', async (request, response) => {
  const edges = (request.body as { source: string; target: string }[]).map(({ source, target }) => ({
    in: new RecordId('work', source),
    out: new RecordId('work', target),
  }));
  await db.query('INSERT RELATION INTO leads $edges RETURN NONE', { edges });
  response.json({});
});
app.post('/works/index', async (request, response) => {
  const { dimensions } = request.body as { dimensions: number };
  await db.query(
    `DEFINE INDEX near ON work FIELDS vector HNSW DIMENSION ${Math.trunc(dimensions)} DIST COSINE TYPE F32 EFC 150 M 12`,
  );
  response.json({});
});
app.get('/paths', async (request, response) => {
  const { from, to } = request.query as { from: string; to: string };
  const [found] = await db.query<[unknown[] | undefined]>('RETURN $from.{..3+shortest=$to}<->leads<->work', {
    from: new RecordId('work', from),
    to: new RecordId('work', to),
  });
  // Where there is none, every path that was walked is the answer, each a list of its own.
  response.json({ length: found?.at(-1) instanceof RecordId ? found.length : null });
});
app.post('/nearest', async (request, response) => {
  const { id, k } = request.body as { id: string; k: number };
  const [rows] = await db
    .query<[{ id: RecordId }[]]>(
      `LET $v = (SELECT VALUE vector FROM ONLY $id); SELECT id FROM work WHERE vector <|${Math.trunc(k) + 1},100|> $v`,
      { id: new RecordId('work', id) },
    )
    .then((all) => all.slice(-1) as unknown as [{ id: RecordId }[]]);
  response.json(rows.map((row) => String(row.id.id)).filter((other) => other !== id));
});
listen(app);
process.on('SIGTERM', () => void db.close().then(() => process.exit(0)));
