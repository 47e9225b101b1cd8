import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, TestNode } from './node.ts';

/** One line of the answer to an upload. */
export interface Line {
  progress?: Counts & { bytes: number };
  done?: Report;
  error?: string;
  details?: { issues?: { path: (string | number)[]; message: string }[] };
}

export interface Counts {
  records: number;
  entities: number;
  relationships: number;
  created: number;
  updated: number;
  unchanged: number;
  left_alone: number;
  refused: number;
  repeated: number;
  differing: number;
}

export interface Report extends Counts {
  id: string;
  collection: { id: string; label: string; created: boolean };
  files: string[];
  left_alone_examples: { id: string; place: string; reason: string }[];
  differing_examples: { id: string; place: string; reason: string; names: string[] }[];
  refused_examples: { place: string; id?: string; issues: { path: (string | number)[]; message: string }[] }[];
}

/** A manifest as the node answers it, as far as tests look at it. */
export interface Entity {
  id: string;
  cid: string;
  ver: number;
  type: string;
  properties: Record<string, unknown>;
  relationships: { predicate: string; peer: string; properties?: unknown }[];
  edited_by: { user_id: string; method: string };
}

/** A node asked as its operator. */
export interface Importer {
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Starts an import; the answer must be a 201. */
  start(body: object): Promise<Report>;
  put(id: string, name: string, content: string | Uint8Array, type?: string): Promise<Answer & { lines: Line[] }>;
  /** An import of these files (name to content) from start to end; gives what became of them. */
  run(body: object, files: Record<string, string | Uint8Array>): Promise<Report>;
  /** The collection's entities, by label. */
  entities(collection: string): Promise<Map<string, Entity>>;
}

export function importer(node: Pick<TestNode, 'data' | 'fetch'>): Importer {
  const key = readFileSync(join(node.data, 'operator.key'), 'utf8').trim();
  const headers = { Authorization: `ApiKey ${key}` };
  const ask = (method: string, path: string, body?: unknown) => node.fetch(path, { method, headers, body });

  async function start(body: object): Promise<Report> {
    const answer = await ask('POST', '/node/imports', body);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body as Report;
  }

  async function put(id: string, name: string, content: string | Uint8Array, type = 'application/octet-stream') {
    const path = `/node/imports/${id}/files/${encodeURIComponent(name)}`;
    const answer = await node.fetch(path, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': type },
      body: content,
    });
    return { ...answer, lines: answer.status === 200 ? linesOf(answer.text) : [] };
  }

  async function run(body: object, files: Record<string, string | Uint8Array>): Promise<Report> {
    const { id } = await start(body);
    let report: Report | undefined;
    for (const [name, content] of Object.entries(files)) {
      const { status, text, lines } = await put(id, name, content);
      report = lines.at(-1)?.done;
      if (!report) throw new Error(`${status} ${text}`);
    }
    await ask('DELETE', `/node/imports/${id}`);
    return report as Report;
  }

  async function entities(collection: string): Promise<Map<string, Entity>> {
    const listed = (await ask('GET', `/collections/${collection}/entities?limit=10000`)).body as {
      entities: { id: string; label: string }[];
    };
    const found = new Map<string, Entity>();
    for (const { id, label } of listed.entities) found.set(label, (await ask('GET', `/entities/${id}`)).body as Entity);
    return found;
  }
  return { ask, start, put, run, entities };
}

export function linesOf(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

export function ndjson(records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
