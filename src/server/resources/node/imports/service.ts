import { AlreadyExistsError, NotFoundError, UnavailableError, ValidationError } from '../../../errors.ts';
import { ImportJob } from '../../../exchange/import-job.ts';
import type { ImportTarget } from '../../../exchange/import-writer.ts';
import { defaultMappingOf, type MappingOf } from '../../../exchange/map-source.ts';
import { parseMapping } from '../../../exchange/mapping.ts';
import type { TextEncoding } from '../../../exchange/text-encoding.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { jsonOf } from '../../../model/from-json.ts';
import { isEntityId, type Network } from '../../../model/ids.ts';
import { collectionsOf, type Manifest } from '../../../model/manifest.ts';
import { restored } from '../../../model/next-version.ts';
import type { Row } from '../../../store/commit.ts';
import type { Reader } from '../../../store/connection.ts';
import { findEntity, findStanding } from '../../../store/entities.ts';
import { undoneCollection } from '../../../store/imports/import-sources.ts';
import { lastHere } from '../../../store/last-here.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import { refuse, textIssues } from '../../entities/body.ts';
import type { EntityWrites } from '../../entities/writes.ts';
import type { UnderWay } from '../under-way.ts';
import type { ImportCollectionView, ImportLineView, ImportView, StartImportBody } from './wire.ts';

/** Makes a collection that the caller owns (the service of collections). */
export interface CollectionMaker {
  create(caller: Caller, body: { label: string }, validate: boolean): Promise<{ collection: { id: string } }>;
}

/**
 * An import between its files. `run` is recorded from the first file on. `state`: a file is being read, until what came of it is
 * counted, or one could not be read to its end, or what it made was undone.
 */
interface OpenImport {
  id: string;
  network: Network;
  collection: ImportCollectionView;
  job: ImportJob;
  files: string[];
  /** The file that is being read. */
  reading: { name: string; bytes: number } | null;
  started: number;
  state: 'waiting' | 'reading' | 'failed' | 'undone';
  givenUp: boolean;
  /** Epoch milliseconds. */
  used: number;
}

const maxOpen = 8;
const forgottenMs = 60 * 60 * 1000;

/** Imports: opened for a collection, given files one by one. */
export class ImportsService {
  readonly #writes: EntityWrites;
  readonly #collections: CollectionMaker;
  readonly #open = new Map<string, OpenImport>();
  readonly #undos: Pick<UnderWay, 'ended'>;
  /** The end of the queue of label look-ups, so that two imports do not make one label's collection twice. */
  #looking: Promise<unknown> = Promise.resolve();

  /** `undos`: of imports; while one is under way no import begins and no file is read. */
  constructor(writes: EntityWrites, collections: CollectionMaker, undos: Pick<UnderWay, 'ended'>) {
    this.#writes = writes;
    this.#collections = collections;
    this.#undos = undos;
  }

  async start(caller: Caller, body: StartImportBody): Promise<ImportView> {
    const actor = operator(caller);
    const mappingOf = mappingOfBody(body);
    const { env } = this.#writes;
    this.#forget(env.now());
    const store = await this.#writes.store(caller);
    // The last thing that an undo deletes is the collection, which would be met as if it stayed.
    await this.#undos.ended();
    const looked = this.#looking.then(() => this.#collection(caller, store, body.collection));
    this.#looking = looked.catch(() => undefined);
    const collection = await looked;
    const placed = { id: collection.id, type: 'collection', collection: null };
    store.read((db) => env.permissions.require(db, actor, 'entity:create', placed));
    const id = env.newId(caller.network);
    const target: ImportTarget = {
      store,
      run: id,
      collection: collection.id,
      stamp: () => this.#writes.stamp(actor, undefined, 'import'),
      allow: (db, { base, next }) =>
        env.permissions.allow(db, actor, { entity: base && placeOf(db, base), base, next }),
    };
    const opened: OpenImport = {
      id,
      network: caller.network,
      collection,
      job: new ImportJob(target, caller.network, mappingOf, body.encoding),
      files: [],
      reading: null,
      started: env.now(),
      state: 'waiting',
      givenUp: false,
      used: env.now(),
    };
    this.#open.set(opened.id, opened);
    return view(opened);
  }

  read(caller: Caller, id: string): ImportView {
    return view(this.#find(caller, id));
  }

  /** Forgets an import, which has come to its end or is given up; what it has written stays. */
  async close(caller: Caller, id: string, ended: boolean): Promise<void> {
    const opened = this.#find(caller, id);
    if (opened.state === 'reading' && ended) throw busy();
    opened.givenUp = !ended;
    // One that is being read is forgotten when that has ended.
    if (opened.state === 'reading') return;
    this.#drop(id);
    if (ended && ['waiting', 'undone'].includes(opened.state) && opened.files.length > 0)
      await this.#record(caller, opened, true);
  }

  /** Reads one file and says how it goes, twice a second and at the end. */
  async *receive(
    caller: Caller,
    id: string,
    name: string,
    source: AsyncIterable<Uint8Array>,
    { encoding, last = false }: { encoding?: TextEncoding | undefined; last?: boolean } = {},
  ): AsyncGenerator<ImportLineView> {
    this.#find(caller, id);
    refuseName(name);
    await this.#undos.ended();
    const opened = this.#find(caller, id);
    if (opened.state === 'reading') throw busy();
    if (opened.state === 'failed')
      throw new AlreadyExistsError('A file of this import could not be read to its end: start another import.');
    if (opened.state === 'undone')
      throw new AlreadyExistsError('This import was undone and takes no more files: start another import.');
    opened.state = 'reading';
    let state: OpenImport['state'] = 'failed';
    const reading = { name, bytes: 0 };
    opened.reading = reading;
    try {
      if (opened.files.length === 0) await this.#record(caller, opened);
      for await (const counts of opened.job.read(counted(source, opened, reading), name, encoding))
        yield { progress: { bytes: reading.bytes, ...counts } };
      opened.files.push(name);
      opened.reading = null;
      state = 'waiting';
    } finally {
      opened.used = this.#writes.env.now();
      if (state === 'failed') opened.job.close();
      try {
        await this.#record(caller, opened, last && state === 'waiting');
      } finally {
        opened.state = state;
        opened.reading = null;
        if (opened.givenUp) this.#drop(id);
      }
    }
    yield { done: view(opened) };
  }

  /** One file as an import of its own. */
  async *single(
    caller: Caller,
    body: StartImportBody,
    name: string,
    source: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<ImportLineView> {
    const { id } = await this.start(caller, body);
    try {
      yield* this.receive(caller, id, name, source, { last: true });
    } finally {
      this.#drop(id);
    }
  }

  /** Keeps what is to be known of an import when it is no longer open. */
  async #record(caller: Caller, opened: OpenImport, ended = false): Promise<void> {
    const { id, collection, files, reading, started, job } = opened;
    const store = await this.#writes.store(caller);
    const row: Row = {
      kind: 'import_run',
      id,
      collection: collection.id,
      made: collection.created,
      started,
      files: [...files, ...(reading ? [reading.name] : [])],
      counts: { ...job.counts() },
      ended,
    };
    await store.submit([
      { changes: [], preconditions: [], rows: [row], origin: 'import', time: this.#writes.env.now() },
    ]);
  }

  /** Whether a file of an import is being read. */
  isReading(id: string): boolean {
    return this.#open.get(id)?.state === 'reading';
  }

  /** Whether one is read into that collection, or on that network into any where it is null. */
  isReadingInto(network: Network, collection: string | null): boolean {
    const fits = (id: string) => collection === null || id === collection;
    return this.#open
      .values()
      .some((one) => one.state === 'reading' && one.network === network && fits(one.collection.id));
  }

  /**
   * Whether an import goes on: a file is being read, or another may come. Of one that is given up, what has come by then is still
   * written: it is broken off once that is counted.
   */
  isOpen(id: string): boolean {
    const opened = this.#open.get(id);
    return opened?.state === 'reading' || (opened?.state === 'waiting' && !opened.givenUp);
  }

  /** What is kept of an import is of the beginning of a file that is being read, or the end of the one before. */
  countsOf(id: string): object | undefined {
    return this.#open.get(id)?.job.counts();
  }

  /** Takes no more files for an import of which none is being read: what they made would stay after its undo. */
  refuseMore(id: string): void {
    const opened = this.#open.get(id);
    if (!opened || opened.state === 'reading') return;
    opened.state = 'undone';
    opened.job.close();
  }

  #find(caller: Caller, id: string): OpenImport {
    operator(caller);
    const opened = this.#open.get(id);
    if (opened?.network !== caller.network)
      throw new NotFoundError('Import not found: start another; what it has written stays');
    return opened;
  }

  #drop(id: string): void {
    this.#open.get(id)?.job.close();
    this.#open.delete(id);
  }

  /** Keeps what is remembered within bounds: the imports that nobody has used for an hour go, then the one unused longest. */
  #forget(now: number): void {
    const idle = [...this.#open.values()].filter(({ state }) => state !== 'reading').sort((a, b) => a.used - b.used);
    for (const { id, used } of idle) if (now - used > forgottenMs || this.#open.size >= maxOpen) this.#drop(id);
    if (this.#open.size >= maxOpen)
      throw new UnavailableError(`There are ${maxOpen} imports running: wait until one ends.`, {
        under_way: 'imports',
      });
  }

  async #collection(caller: Caller, store: NetworkStore, wanted: string): Promise<ImportCollectionView> {
    if (isEntityId(wanted)) return store.read((db) => this.#known(db, wanted));
    refuse(textIssues({ collection: wanted }));
    const [id, ...others] = jsonOf(await store.readLong('collectionsLabelled', { label: wanted }, caller)) as string[];
    if (others.length > 0)
      throw ValidationError.at(
        ['collection'],
        `the label "${wanted}" fits several collections: ${[id, ...others].join(', ')}. Give an id`,
      );
    if (id !== undefined) return { id, label: wanted, created: false };
    const back = await this.#broughtBack(caller, store, wanted);
    if (back !== undefined) return { id: back, label: wanted, created: true };
    const made = await this.#collections.create(caller, { label: wanted }, true);
    return { id: made.collection.id, label: wanted, created: true };
  }

  /** The collection of that label that the undo of an import deleted: with it what was in it has its ids again. */
  async #broughtBack(caller: Caller, store: NetworkStore, label: string): Promise<string | undefined> {
    const stamp = this.#writes.stamp(operator(caller), undefined, 'import');
    const step = store.read((db) => {
      const id = undoneCollection(db, label);
      const base = id === undefined ? undefined : findStanding(db, id);
      const last = base && lastHere(db, base, base.manifest)?.manifest;
      if (!last) return undefined;
      const next = restored(last, base.manifest, base.cid, stamp);
      return this.#writes.step(db, caller, base, next, undefined, { last, state: 'deleted' });
    });
    if (!step) return undefined;
    const { id } = step.next;
    const row: Row = { kind: 'import_source', id, digest: '', cid: step.cid };
    return (await this.#writes.attempt(store, [step], [row])).committed ? id : undefined;
  }

  #known(db: Reader, id: string): ImportCollectionView {
    const row = findEntity(db, id);
    if (row?.type !== 'collection' || row.deleted)
      throw ValidationError.at(['collection'], `there is no collection ${id}`);
    return { id, label: row.label, created: false };
  }
}

/** @throws ValidationError where the mapping says what none can */
export function mappingOfBody({ type, mapping }: Pick<StartImportBody, 'type' | 'mapping'>): MappingOf {
  if (mapping === undefined) return defaultOf(type);
  if (type !== undefined) throw ValidationError.at(['type'], 'cannot be given with a mapping, which names the types');
  const parsed = parseMapping(mapping);
  return () => parsed;
}

function defaultOf(type: string | undefined): MappingOf {
  try {
    return defaultMappingOf(type);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw ValidationError.at(['type'], `"${type}" is no type that import makes`);
  }
}

/** Where an imported entity's permissions are resolved; a deleted one lies where it last lay. */
function placeOf(db: Reader, base: Manifest): { id: string; type: string; collection: string | null } {
  const grave = base.deleted ? findEntity(db, base.id) : undefined;
  return grave ?? { id: base.id, type: base.type, collection: collectionsOf(base)[0] ?? null };
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  of: { readonly givenUp: boolean },
  read: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    if (of.givenUp) throw ValidationError.at([], 'the import was given up');
    read.bytes += chunk.length;
    yield chunk;
  }
}

function refuseName(name: string): void {
  if (!name.isWellFormed() || /\p{Cc}/u.test(name))
    throw ValidationError.at(['name'], 'must be text without control characters');
}

function busy(): AlreadyExistsError {
  return new AlreadyExistsError('A file of this import is being read: wait until it ends.');
}

function view({ id, collection, files, reading, job }: OpenImport): ImportView {
  const now = { ...(reading && { reading: { ...reading } }), ...job.report(), unmet_fields: job.unmet() };
  return { id, collection, files: [...files], ...now };
}
