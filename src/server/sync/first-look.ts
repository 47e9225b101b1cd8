import type { FileStore } from '../blocks/file-store.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import { idPages } from './id-pages.ts';
import { namedBytes } from './named-bytes.ts';
import type { RemoteClient } from './remote.ts';
import { readBatch, readCatalog, readListing } from './wire.ts';

/** What a first mirror would bring, as far as it can be known without bringing it. */
export interface FirstLook {
  /** Collections, and what they list of what is wanted. */
  entities: number;
  /** Entities whose current versions were read for what follows. */
  looked_at: number;
  /** The size of these versions, as JSON. */
  version_bytes: number;
  /** Content that they name and that is not here, each once. */
  files: number;
  file_bytes: number;
  /** What this does not say, in plain sentences. */
  unknown: string[];
}

const mostCollections = 200;
const mostEntities = 100_000;
const mostRead = 2000;
const batchSize = 100;

interface Needs {
  remote: Pick<Remote, 'collections' | 'types' | 'content' | 'instance'>;
  client: RemoteClient;
  files: Pick<FileStore, 'has'>;
}

/** Counts what the collections of a remote's scope list, and reads the first of it for sizes. @throws UnreachableError */
export async function lookFirst(needs: Needs): Promise<FirstLook> {
  const { remote, client } = needs;
  const collections = remote.collections.length > 0 ? remote.collections : await catalogOf(client);
  const ids = new Set<string>(collections?.slice(0, mostEntities));
  let closed = 0;
  for (const collection of (collections ?? []).slice(0, mostCollections))
    if (ids.size < mostEntities && !(await list(needs, collection, ids))) closed++;
  const sizes = await read(needs, [...ids].slice(0, mostRead));
  const left = (collections?.length ?? 0) - mostCollections;
  const unknown = [
    ...(collections === null ? ['The remote does not list its collections: nothing can be counted.'] : []),
    ...(closed > 0 ? [`Collections that do not show what they hold: ${closed}.`] : []),
    ...(left > 0 ? [`What ${left} more collections hold was not counted.`] : []),
    ...(ids.size >= mostEntities ? [`There are more than ${mostEntities} entities; it was counted no further.`] : []),
    ...(sizes.looked_at < ids.size
      ? [`Sizes are those of ${sizes.looked_at} of ${ids.size} entities; the others were not read, or are not shown.`]
      : []),
    ...(sizes.unsized > 0 ? [`${sizes.unsized} files do not say how large they are.`] : []),
    ...(remote.collections.length === 0
      ? [
          remote.instance === null
            ? 'What lies in no collection comes as far as its feed tells of it, and is not counted.'
            : 'What lies in no collection comes too, and is not counted.',
        ]
      : []),
    'Earlier versions come too; their number and size are not known.',
  ];
  const { unsized: _, ...known } = sizes;
  return { entities: ids.size, ...known, unknown };
}

async function catalogOf(client: RemoteClient): Promise<string[] | null> {
  const found = new Set<string>();
  const catalog = { path: '/collections/catalog', read: readCatalog };
  for await (const ids of idPages(client, catalog, { left: mostEntities })) {
    if (typeof ids === 'string') return found.size === 0 ? null : [...found];
    for (const id of ids) found.add(id);
  }
  return [...found];
}

/** Adds what a collection lists of the wanted types; false where it does not. */
async function list({ remote, client }: Needs, collection: string, ids: Set<string>): Promise<boolean> {
  const kinds: Record<string, string>[] = remote.types.length > 0 ? remote.types.map((type) => ({ type })) : [{}];
  const path = `/collections/${collection}/entities`;
  for (const query of kinds)
    for await (const page of idPages(client, { path, query, read: readListing }, { left: mostEntities - ids.size })) {
      if (typeof page === 'string') return false;
      for (const id of page) ids.add(id);
    }
  return true;
}

async function read({ remote, client, files }: Needs, ids: string[]) {
  const sizes = { looked_at: 0, version_bytes: 0, files: 0, file_bytes: 0, unsized: 0 };
  const counted = new Set<string>();
  for (let at = 0; at < ids.length; at += batchSize) {
    const { status, body } = await client.read('/entities/batch-get', { ids: ids.slice(at, at + batchSize) });
    for (const view of (status === 200 ? readBatch(body) : null) ?? []) {
      sizes.looked_at++;
      sizes.version_bytes += Buffer.byteLength(JSON.stringify(view));
      if (remote.content === 'none') continue;
      const properties = view.properties as Record<string, Json> as JsonObject;
      for (const { cid, size } of namedBytes({ id: view.entity, type: view.type, properties })) {
        if (counted.has(cid) || files.has(cid)) continue;
        counted.add(cid);
        sizes.files++;
        if (size === null || !Number.isFinite(size) || size < 0) sizes.unsized++;
        else sizes.file_bytes += size;
      }
    }
  }
  return sizes;
}
