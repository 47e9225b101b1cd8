import type { FileStore } from '../blocks/file-store.ts';
import { entriesOf, withEntries } from '../model/content-entries.ts';
import { addedLinks } from '../model/folder-rules.ts';
import { type JsonObject, type Manifest, relationshipKey } from '../model/manifest.ts';
import { contentHash } from '../store/content-hash.ts';
import type { ContentState } from '../store/remotes/remote-content.ts';
import { type NamedBytes, namedBytes } from './named-bytes.ts';

export interface WithholdFacts {
  local: Manifest;
  /** The remote's version, null where it has none. */
  theirs: Manifest | null;
  states: ReadonlyMap<string, ContentState>;
  files: Pick<FileStore, 'has'>;
  /** Whether the remote wants these bytes before a version names them. */
  wants: (named: NamedBytes) => boolean;
}

/** The bytes that have to be at the remote before it is told their names: those that are here and new to it. */
export function bytesAhead({ local, theirs, states, files, wants }: WithholdFacts): NamedBytes[] {
  if (local.deleted) return [];
  const there = new Set(theirs === null ? [] : namedBytes(theirs).map(({ cid }) => cid));
  return namedBytes(local).filter(
    (named) =>
      !there.has(named.cid) && states.get(named.cid)?.state !== 'there' && files.has(named.cid) && wants(named),
  );
}

/** What a version says until these bytes are there: of a file's own that they are to come, of others what theirs says. */
export function withhold(local: Manifest, theirs: Manifest | null, ahead: readonly NamedBytes[]): Manifest {
  const cids = new Set(ahead.map(({ cid }) => cid));
  let properties: JsonObject = local.properties;
  if (local.type === 'file' && typeof properties.cid === 'string' && cids.has(properties.cid)) {
    const { cid: _cid, ...others } = properties;
    properties = { ...others, uploaded: false };
  }
  const keys = new Set([...entriesOf(local)].filter(([, { cid }]) => cids.has(cid)).map(([key]) => key));
  if (keys.size === 0) return { ...local, properties };
  const old = theirs === null ? new Map() : entriesOf(theirs);
  properties = withEntries(properties, (all) =>
    all.flatMap(([key, entry]) => (!keys.has(key) ? [[key, entry]] : old.has(key) ? [[key, old.get(key)]] : [])),
  );
  const empty = Object.keys(properties.content as JsonObject).length === 0;
  if (!empty || theirs?.properties.content !== undefined) return { ...local, properties };
  const { content: _content, ...others } = properties;
  return { ...local, properties: others };
}

/** Without the links in the tree of folders that theirs does not have; the version itself where there are none. */
export function withoutNewLinks(local: Manifest, theirs: Manifest | null): Manifest {
  const added = new Set(addedLinks(theirs, local).map(({ at }) => at));
  return added.size === 0 ? local : { ...local, relationships: local.relationships.filter((_, at) => !added.has(at)) };
}

/** The same for two versions that differ only in when the remote says that content came to it. */
export function looseHash(manifest: Manifest, hash = contentHash): string {
  if (entriesOf(manifest).size === 0) return hash(manifest);
  const properties = withEntries(manifest.properties, (all) =>
    all.map(([key, { uploaded_at: _time, ...entry }]) => [key, entry]),
  );
  return hash({ ...manifest, properties });
}

/** What the remote says once it has taken these bytes by an endpoint that writes a version. */
export function withBytes(theirs: Manifest, local: Manifest, { cid, key }: NamedBytes): Manifest {
  if (key === null) {
    const { size = null, content_type = null } = local.properties;
    return { ...theirs, properties: { ...theirs.properties, cid, size, content_type, uploaded: true } };
  }
  const entry = { ...entriesOf(local).get(key), cid };
  return {
    ...theirs,
    properties: withEntries(theirs.properties, (all) => [...all.filter(([k]) => k !== key), [key, entry]]),
  };
}

/** Of what a remote has already, what a peer is as the remote says it: it sets that by itself, and would set it again each time. */
export function withTypesThere(local: Manifest, theirs: Manifest | null): Manifest {
  const there = new Map(theirs?.relationships.map((r) => [relationshipKey(r), r.peer_type]));
  const relationships = local.relationships.map((r) => {
    const peer_type = r.peer_type ?? there.get(relationshipKey(r));
    return peer_type === undefined ? r : { ...r, peer_type };
  });
  return { ...local, relationships };
}
