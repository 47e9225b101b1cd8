import { open, rm } from 'node:fs/promises';
import { openArchive } from '../../../blocks/archive-reader.ts';
import type { History, Scope } from '../../../blocks/archive-tree.ts';
import { exportArchive } from '../../../blocks/archive-writer.ts';
import { NotFoundError, ValidationError } from '../../../errors.ts';
import { csvOf } from '../../../exchange/csv-export.ts';
import { bagOf } from '../../../exchange/packages/bag.ts';
import { crateOf } from '../../../exchange/packages/crate.ts';
import { packageAbout } from '../../../exchange/packages/package-about.ts';
import { zipped } from '../../../exchange/packages/zip-stream.ts';
import { turn } from '../../../loop/pace.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { isEntityId } from '../../../model/ids.ts';
import { archiveSource, manifestLines, stateAt } from '../../../store/archive/archive-source.ts';
import { leftOutVersions } from '../../../store/archive/left-out.ts';
import { spool } from '../../../store/archive/spool.ts';
import { listTips, type TipList } from '../../../store/archive/tip-list.ts';
import { findEntity } from '../../../store/entities.ts';
import { lastMove } from '../../../store/events.ts';
import { deletedAmong } from '../../../store/listings/deleted-rows.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { storingEach, storingLater } from '../../../store/storage-error.ts';

export interface ExportWish {
  format: string;
  collection: string | undefined;
  entity: string | undefined;
  /** These alone. */
  entities?: string[];
  history: History;
  /** A checkpoint of an earlier export. */
  since: string | undefined;
}

/** An export that is ready to be read; `headers` say what it is of. */
export interface Export {
  /** How many entities it has; a table those that are live. */
  entities: number;
  headers: Record<string, string>;
  chunks: AsyncGenerator<Uint8Array, void, undefined>;
}

/** The move that an earlier export went up to; `now` in epoch milliseconds. */
interface Checkpoint {
  move: number;
  now: number;
}

const tipsPerLook = 1000;

type Format = 'car' | 'ndjson' | 'csv' | 'bagit' | 'ro-crate';

const mediaTypes: Record<Format, string> = {
  car: 'application/vnd.ipld.car; version=1',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  bagit: 'application/zip',
  'ro-crate': 'application/zip',
};

export interface ExportSurroundings {
  networks: Networks;
  instance: string;
  /** Of this program. */
  version: string;
  now: () => number;
}

/** Exports of one network: an archive of every version, a table or lines for scripts, a bag or a crate to hand over. */
export class ExportService {
  readonly #env: ExportSurroundings;

  constructor(env: ExportSurroundings) {
    this.#env = env;
  }

  /**
   * `earlier`: an archive that the receiver has, or its index (root and shards); what it reaches is left out.
   * @throws ForbiddenError, ValidationError, NotFoundError, DamagedArchiveError, StorageError
   */
  async start(caller: Caller, wish: ExportWish, earlier?: AsyncIterable<Uint8Array>): Promise<Export> {
    operator(caller);
    const format = formatOf(wish.format);
    const scope = scopeOf(wish);
    const store = await this.#env.networks.get(caller.network);
    store.requirePlace();
    const ids = scope.kind === 'all' ? [] : scope.kind === 'selection' ? scope.ids : [scope.id];
    if (!store.read((db) => ids.every((id) => findEntity(db, id)))) throw new NotFoundError();
    const move = wish.since === undefined ? null : this.#move(store, wish.since);
    const since = move === null ? null : { move, now: this.#env.now() };
    if (format !== 'car' && since !== null) throw ValidationError.at(['since'], 'is for the format car');
    if (format !== 'car' && earlier)
      throw ValidationError.at(['format'], 'must be car: no other leaves out what an earlier archive has');
    // A table has no history.
    const history = format === 'csv' ? 'tip' : wish.history;
    const list = await storingLater(() => listTips(store, { scope, history }));
    const leftOut = history === 'all' ? await leftOutVersions(store, list) : 0;
    const entities = format === 'csv' ? await liveIn(store, list) : list.length;
    return {
      entities,
      headers: {
        'Content-Type': mediaTypes[format],
        'X-Archeion-Entities': String(entities),
        'X-Archeion-Checkpoint': `${this.#env.instance}.${list.move}`,
        'X-Archeion-Missing-Files': String(list.missing),
        'X-Archeion-Left-Out-Versions': String(leftOut),
      },
      chunks: storingEach(format === 'car' ? carOf(store, list, since, earlier) : this.#chunks(format, store, list)),
    };
  }

  #chunks(format: Exclude<Format, 'car'>, store: NetworkStore, list: TipList) {
    const { now, version } = this.#env;
    const time = new Date(now());
    const about = () => packageAbout(store, list.scope, { time: time.toISOString(), software: `Archeion ${version}` });
    switch (format) {
      case 'ndjson':
        return manifestLines(store, list);
      case 'csv':
        return csvOf(store, list);
      case 'bagit':
        return zipped(bagOf(store, list, about()), time);
      case 'ro-crate':
        return zipped(crateOf(store, list, about()), time);
    }
  }

  /** The move that a checkpoint of this node names. */
  #move(store: NetworkStore, since: string): number {
    const [, instance, move] = /^([0-9a-f-]{36})\.(\d{1,15})$/.exec(since) ?? [];
    const refuse = (why: string) => ValidationError.at(['since'], why);
    if (move === undefined) throw refuse('is not a checkpoint that an export has named');
    if (instance !== this.#env.instance)
      throw refuse('is a checkpoint of another node, or of this one before it was restored');
    if (Number(move) > store.read(lastMove)) throw refuse('is a checkpoint of another network');
    return Number(move);
  }
}

function formatOf(format: string): Format {
  if (Object.hasOwn(mediaTypes, format)) return format as Format;
  throw ValidationError.at(['format'], `must be one of ${Object.keys(mediaTypes).join(', ')}`);
}

function scopeOf({ collection, entity, entities }: ExportWish): Scope {
  if (collection !== undefined && entity !== undefined)
    throw ValidationError.at(['entity'], 'cannot be given together with a collection');
  for (const [name, id] of Object.entries({ collection, entity }))
    if (id !== undefined && !isEntityId(id)) throw ValidationError.at([name], 'must be an entity id');
  if (entities !== undefined) {
    const wrong = entities.findIndex((id) => !isEntityId(id));
    if (wrong !== -1) throw ValidationError.at(['entities', wrong], 'must be an entity id');
    return { kind: 'selection', ids: [...new Set(entities)].sort() };
  }
  if (collection !== undefined) return { kind: 'collection', id: collection };
  return entity === undefined ? { kind: 'all' } : { kind: 'entity', id: entity };
}

/** How many entities of a list a table has. */
async function liveIn(store: NetworkStore, list: TipList): Promise<number> {
  let live = list.length;
  for (let at = 0; at < list.length; at += tipsPerLook) {
    live -= store.read((db) => deletedAmong(db, [...list.tips(at, at + tipsPerLook)]));
    await turn();
  }
  return live;
}

function noArchive(): ValidationError {
  const wanted = 'it is to be an earlier archive, or its index. GET /node/export exports without one';
  return ValidationError.at([], `the body is empty: ${wanted}`);
}

async function* carOf(
  store: NetworkStore,
  list: TipList,
  since: Checkpoint | null,
  earlier: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = archiveSource(store, list);
  if (!earlier) {
    yield* exportArchive(source, since === null ? undefined : await stateAt(store, list, since));
    return;
  }
  const { path, size } = await spool(store.folder, earlier);
  const file = await open(path, 'r');
  try {
    if (size === 0) throw noArchive();
    yield* exportArchive(source, await openArchive(file));
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
