import { Pace, turn } from '../../loop/pace.ts';
import { jsonOf } from '../../model/from-json.ts';
import type { TipList } from '../../store/archive/tip-list.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { type ListedManifest, listedManifests } from '../listed-manifests.ts';
import { type Digest, digested } from './digests.ts';
import type { PackageAbout } from './package-about.ts';
import { contentsOf, historyOf, type PackedContent, recordsOf } from './payload.ts';
import { textChunks } from './text-chunks.ts';
import type { PackedFile } from './zip-stream.ts';

export const crateMetadata = 'ro-crate-metadata.json';
const version = 'https://w3id.org/ro/crate/1.2';

interface Written {
  path: string;
  digest: Digest;
  name: string;
  type: string;
  /** Of an entity's file. */
  content?: PackedContent;
}

/**
 * A crate (RO-Crate 1.2): the same files as a bag has, and a description in JSON-LD of each of them and of every live
 * entity, whose identifiers are their id and the CID of the version. It comes last, when sizes and hashes are known.
 */
export async function* crateOf(
  store: NetworkStore,
  list: TipList,
  about: PackageAbout,
): AsyncGenerator<PackedFile, void, undefined> {
  const written: Written[] = [];
  const filesOf = new Map<string, Written[]>();
  const note = (file: Written) => {
    written.push(file);
    const entity = file.content?.entity;
    if (entity === undefined) return;
    const others = filesOf.get(entity);
    if (others) others.push(file);
    else filesOf.set(entity, [file]);
  };
  const noted = (file: PackedFile, facts: Pick<Written, 'name' | 'type' | 'content'>): PackedFile => ({
    ...file,
    chunks: digested(file.chunks, (digest) => note({ path: file.path, digest, ...facts })),
  });
  yield noted(historyOf(store, list), { name: 'Every version of every entity', type: 'application/vnd.ipld.car' });
  yield noted(recordsOf(store, list), { name: 'The versions, one manifest a line', type: 'application/x-ndjson' });
  for await (const content of contentsOf(store, list)) {
    const facts = { name: content.filename ?? content.cid, type: content.type ?? 'application/octet-stream' };
    yield noted(content, { ...facts, content });
  }
  yield { path: crateMetadata, chunks: textChunks(metadata(store, list, about, { written, filesOf })), compress: true };
}

/** In parts of which each is small: of many files it is longer than a string can be. */
async function* metadata(
  store: NetworkStore,
  list: TipList,
  about: PackageAbout,
  { written, filesOf }: { written: readonly Written[]; filesOf: ReadonlyMap<string, readonly Written[]> },
): AsyncGenerator<string, void, undefined> {
  const predicates = jsonOf(await store.readLong('predicates', {})) as string[];
  const terms = Object.fromEntries(predicates.map((name) => [termOf(name), `urn:x-archeion:predicate:${name}`]));
  const listed = await idsOf(list);
  const described: string[] = [];
  yield `{"@context":${JSON.stringify([`${version}/context`, terms])},"@graph":[${JSON.stringify(descriptor)}`;
  for (const file of written) yield `,\n${JSON.stringify(describedFile(file))}`;
  for await (const manifest of listedManifests(store, list)) {
    described.push(manifest.id);
    yield `,\n${JSON.stringify(describedEntity(manifest, listed, filesOf.get(manifest.id) ?? []))}`;
  }
  yield `,\n${JSON.stringify(root(about)).slice(0, -1)},"hasPart":`;
  yield* references(written.values().map(({ path }) => path));
  yield ',"mentions":';
  yield* references(described.values().map((id) => `#${id}`));
  yield '}]}\n';
}

async function idsOf(list: TipList): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const pace = new Pace();
  for (const { id } of list.entries()) {
    ids.add(id);
    if (pace.step(id.length)) await turn();
  }
  return ids;
}

function* references(identifiers: Iterable<string>): Generator<string, void, undefined> {
  let before = '[';
  for (const id of identifiers) {
    yield `${before}${JSON.stringify({ '@id': id })}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

const descriptor = {
  '@id': crateMetadata,
  '@type': 'CreativeWork',
  conformsTo: { '@id': version },
  about: { '@id': './' },
};

/** A predicate as a term of the crate's own context. */
function termOf(predicate: string): string {
  return `rel_${predicate}`;
}

function root({ title, description, id, license, time, software }: PackageAbout) {
  return {
    '@id': './',
    '@type': 'Dataset',
    name: title,
    description: description ?? `${title}, as ${software} holds it`,
    datePublished: time,
    license: license ?? 'No license is stated.',
    ...(id !== null && { identifier: id }),
  };
}

function describedFile({ path, digest, name, type, content }: Written) {
  return {
    '@id': path,
    '@type': 'File',
    name,
    encodingFormat: type,
    contentSize: String(digest.bytes),
    sha256: digest.sha256,
    ...(content && { identifier: content.cid, isPartOf: { '@id': `#${content.entity}` } }),
  };
}

function describedEntity(
  { id, cid, type, ver, created_at, ts, properties, relationships }: ListedManifest,
  listed: ReadonlySet<string>,
  files: readonly Written[],
) {
  const { label, filename, name, description } = properties;
  const title = [label, filename, name].find((one) => typeof one === 'string' && one !== '') ?? id;
  const links = Map.groupBy(
    relationships.filter(({ peer }) => listed.has(peer)),
    ({ predicate }) => termOf(predicate),
  );
  return {
    '@id': `#${id}`,
    '@type': 'CreativeWork',
    additionalType: type,
    name: title,
    ...(typeof description === 'string' && description !== '' && { description }),
    identifier: [id, cid],
    version: ver,
    dateCreated: created_at,
    ...(ts !== null && { dateModified: new Date(ts).toISOString() }),
    ...(files.length > 0 && { hasPart: files.map(({ path }) => ({ '@id': path })) }),
    ...Object.fromEntries([...links].map(([term, peers]) => [term, peers.map(({ peer }) => ({ '@id': `#${peer}` }))])),
  };
}
