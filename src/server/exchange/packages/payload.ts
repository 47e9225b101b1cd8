import { exportArchive } from '../../blocks/archive-writer.ts';
import { checkedContent } from '../../blocks/checked-content.ts';
import { allContents } from '../../model/content-entries.ts';
import { fromJson } from '../../model/from-json.ts';
import type { Manifest } from '../../model/manifest.ts';
import { archiveSource, manifestLines } from '../../store/archive/archive-source.ts';
import { PlacedEntry, type TipList } from '../../store/archive/tip-list.ts';
import { storedJson } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { PackedFile } from './zip-stream.ts';

export const historyFile = 'history.car';
const recordsFile = 'records.ndjson';

/** The bytes of a file of an entity, in a package. */
export interface PackedContent extends PackedFile {
  entity: string;
  cid: string;
  /** As the entity has it; not part of the path. */
  filename: string | null;
  type: string | null;
}

/**
 * Every version of a list's entities as an archive, without the bytes of their files: these stand beside it, each once.
 */
export function historyOf(store: NetworkStore, list: TipList): PackedFile {
  const source = archiveSource(store, list);
  function* entries() {
    for (const entry of list.entries()) yield entry.content.length === 0 ? entry : bare(entry);
  }
  return { path: historyFile, chunks: exportArchive({ ...source, entries }), compress: false };
}

function bare({ index, id, ver, link, start }: PlacedEntry): PlacedEntry {
  return new PlacedEntry({ index, id, ver, link, content: [], ...(start !== undefined && { start }) });
}

/** A manifest a line, as GET /entities/{id} answers it. */
export function recordsOf(store: NetworkStore, list: TipList): PackedFile {
  return { path: recordsFile, chunks: manifestLines(store, list), compress: true };
}

/**
 * The files that a list's entities hold: below `files/` a folder for each entity. What two of them hold stands with the
 * first one alone. Reading one whose bytes here are damaged breaks off.
 */
export async function* contentsOf(store: NetworkStore, list: TipList): AsyncGenerator<PackedContent, void, undefined> {
  const source = archiveSource(store, list);
  const written = new Set<string>();
  for (const { id, content } of list.entries()) {
    if (content.length === 0) continue;
    const now = newest(store, id);
    for (const cid of content) {
      if (written.has(cid)) continue;
      written.add(cid);
      const { filename = null, type = null } = now.find((one) => one.cid === cid) ?? {};
      const path = `files/${id}/${filename === null ? cid : `${cid.slice(-8)}-${plainName(filename)}`}`;
      const chunks = checkedContent(cid, await source.content(cid));
      yield { path, chunks, compress: false, entity: id, cid, filename, type };
    }
  }
}

/** What an entity holds now; an older version may have held other files. */
function newest(store: NetworkStore, id: string) {
  const json = store.read((db) => storedJson(db, id));
  return json === null ? [] : allContents(fromJson(json) as Manifest);
}

/** A name for any file system: of a user's text only letters, digits, `.`, `_` and `-` are left. */
export function plainName(filename: string): string {
  const plain = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._]+/, '');
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  return `${plain.slice(0, plain.length - extension.length).slice(0, 80) || 'file'}${extension}`;
}
