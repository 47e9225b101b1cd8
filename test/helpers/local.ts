import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask, type Person } from './callers.ts';
import { type Entity, ok } from './entities.ts';
import type { TestNode } from './node.ts';
import { klados, rhiza } from './processors.ts';

const cli = fileURLToPath(new URL('../../src/server/cli.ts', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures/files/', import.meta.url));

type Entry = { run: string[]; [limit: string]: unknown };

/** One of the processors that come along, as the allow-list has it. */
export const shipped = (name: string): Entry => ({ run: [process.execPath, cli, 'processor', 'run', name] });

/** A program text as a command. */
export const program = (text: string, more: object = {}): Entry => ({ run: [process.execPath, '-e', text], ...more });

/** A program that reads its job as `job` and answers what `reply` makes of it. */
export const replying = (reply: string, more: object = {}): Entry =>
  program(
    `let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', async () => {
       const job = JSON.parse(text); console.log(JSON.stringify(await (async () => { ${reply} })())); });`,
    more,
  );

/** Writes the node's allow-list. */
export async function allow({ data }: Pick<TestNode, 'data'>, commands: Record<string, Entry>): Promise<void> {
  await writeFile(join(data, 'processors.json'), JSON.stringify({ commands }), { mode: 0o600 });
}

export const many = (...types: string[]) => ({ types, cardinality: 'many' });
export const one = (...types: string[]) => ({ types, cardinality: 'one' });

/** A klados that is a command, active. */
export async function command(
  node: TestNode,
  who: Person,
  collection: string,
  name: string,
  more: object = {},
): Promise<Entity> {
  const made = await klados(node, who, collection, {
    ...{ label: name, endpoint: `exec:${name}`, actions_required: ['entity:view', 'entity:create', 'entity:update'] },
    ...more,
  });
  return activated(node, who, 'kladoi', made);
}

export async function activated(node: TestNode, who: Person, path: string, { id, cid }: Entity): Promise<Entity> {
  return ok(await ask(node, who, `PUT /${path}/${id}`, { expect_tip: cid, status: 'active' }));
}

/** A rhiza of steps, each a klados and what follows. */
export async function workflow(
  node: TestNode,
  who: Person,
  collection: string,
  steps: Record<string, { klados: Entity; then: object; input?: object }>,
): Promise<Entity> {
  const flow = Object.fromEntries(
    Object.entries(steps).map(
      ([
        name,
        {
          klados: { id },
          ...rest
        },
      ]) => [name, { klados: { id, type: 'klados' }, ...rest }],
    ),
  );
  const made = await rhiza(node, who, collection, { label: 'a workflow', entry: Object.keys(steps)[0], flow });
  return activated(node, who, 'rhizai', made);
}

/** A file of the fixtures, uploaded into a collection; `prefix` makes its bytes others. */
export async function fixture(
  node: TestNode,
  who: Person,
  collection: string,
  name: string,
  type: string,
  suffix = '',
): Promise<Entity> {
  const bytes = Buffer.concat([await readFile(join(fixtures, name)), Buffer.from(suffix)]);
  const file = { key: `${name}${suffix}`, filename: name, content_type: type, size: bytes.length, collection };
  const { id } = ok<Entity>(await ask(node, who, 'POST /files', file));
  return ok(await ask(node, who, `POST /files/${id}/content`, bytes, { 'Content-Type': type }));
}

export interface RunView {
  status: 'pending' | 'running' | 'done' | 'error';
  progress: { total: number; done: number; error: number; running: number; pending: number };
  errors?: { klados_id: string; job_id: string; code: string; message: string; retryable: boolean }[];
  completed_at?: string;
}

/** Asks for a job's status until it has ended. */
export async function ended(node: TestNode, who: Person, path: string): Promise<RunView> {
  for (let i = 0; i < 600; i++) {
    const status = ok<RunView>(await ask(node, who, `GET ${path}`));
    if (status.status === 'done' || status.status === 'error') return status;
    await pause(100);
  }
  throw new Error(`${path} does not end`);
}

/** All entities of a type in a collection, in full. */
export async function within(node: TestNode, who: Person, collection: string, type: string): Promise<Entity[]> {
  const listed = ok<{ entities: { pi: string; type: string }[] }>(
    await ask(node, who, `GET /collections/${collection}/entities?limit=10000`),
  );
  const ids = listed.entities.filter((entity) => entity.type === type).map(({ pi }) => pi);
  return Promise.all(ids.map(async (id) => ok<Entity>(await ask(node, who, `GET /entities/${id}`))));
}
