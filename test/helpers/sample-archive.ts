import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchiveEntry } from '../../src/server/blocks/archive-entry.ts';
import { type Archive, openArchive } from '../../src/server/blocks/archive-reader.ts';
import type { ArchiveHead } from '../../src/server/blocks/archive-tree.ts';
import type { ArchiveBlock, ArchiveSource, EarlierArchive } from '../../src/server/blocks/archive-writer.ts';
import { exportArchive } from '../../src/server/blocks/archive-writer.ts';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { type Block, contentCid, encodeManifest } from '../../src/server/blocks/encode.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';

export const wholeMain: ArchiveHead = { network: 'main', history: 'all', scope: { kind: 'all' } };

/** An entity's next version, on a fixed clock. */
export function nextVersion(id: string, before: { cid: string; ver: number } | null, properties: JsonObject): Manifest {
  const ver = (before?.ver ?? 0) + 1;
  return {
    schema: 'arke/eidos@v1',
    id,
    type: 'person',
    created_at: '2026-01-01T00:00:00.000Z',
    ver,
    ts: new Date(Date.UTC(2026, 0, 1) + ver * 1000).toISOString(),
    prev: before?.cid ?? null,
    properties,
    relationships: [],
    edited_by: { user_id: '01KDETYWYWM0MJVKM8DK3AEXPY', method: 'manual' },
  };
}

/** A state in memory that can be changed and exported. */
export class SampleState {
  readonly chains = new Map<string, Block[]>();
  readonly files = new Map<string, Uint8Array>();
  readonly attached = new Map<string, string[]>();

  /** Adds versions to the entity that `key` names and answers its id. */
  write(key: string, versions = 1, extra: JsonObject = {}): string {
    const id = derivedId('main', key);
    const chain = this.chains.get(id) ?? [];
    for (let i = 0; i < versions; i++) {
      const before = chain.at(-1);
      const head = before ? { cid: before.cid, ver: chain.length } : null;
      chain.push(encodeManifest(nextVersion(id, head, { label: key, round: chain.length, ...extra })));
    }
    this.chains.set(id, chain);
    return id;
  }

  attach(id: string, bytes: Uint8Array): string {
    const cid = contentCid(createHash('sha256').update(bytes).digest());
    this.files.set(cid, bytes);
    this.attached.set(id, [...(this.attached.get(id) ?? []), cid]);
    return cid;
  }

  entries(): ArchiveEntry[] {
    const ids = [...this.chains.keys()].sort();
    return ids.map((id) => {
      const chain = this.chains.get(id) as Block[];
      return { id, tip: (chain.at(-1) as Block).cid, ver: chain.length, content: this.attached.get(id) ?? [] };
    });
  }

  has(cid: string): boolean {
    return this.files.has(cid) || [...this.chains.values()].some((chain) => chain.some((block) => block.cid === cid));
  }

  source(head: ArchiveHead = wholeMain): ArchiveSource {
    return {
      head,
      entries: () => this.entries(),
      versions: (entry, after) => {
        const chain = this.chains.get(entry.id) as Block[];
        const from = chain.findIndex((block) => block.cid === after) + 1;
        return inBinary(head.history === 'tip' ? chain.slice(-1) : chain.slice(from));
      },
      content: (cid) => {
        const bytes = this.files.get(cid) as Uint8Array;
        return { size: bytes.length, chunks: [bytes.subarray(0, 10), bytes.subarray(10)] };
      },
    };
  }

  async export(head?: ArchiveHead, since?: EarlierArchive): Promise<Buffer> {
    return collect(exportArchive(this.source(head), since));
  }
}

/** Blocks as an export takes them. */
export function inBinary(blocks: Block[]): ArchiveBlock[] {
  return blocks.map(({ cid, bytes }) => ({ cid: cidBytes(cid), bytes }));
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Bytes as a stream of chunks of a size. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

/** Opens an archive that lies in memory by way of a file, for as long as `use` runs. */
export async function withArchive<T>(bytes: Uint8Array, use: (archive: Archive) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'archeion-car-'));
  const file = await open(join(folder, 'a.car'), 'w+');
  try {
    await file.writeFile(bytes);
    return await use(await openArchive(file));
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
}
