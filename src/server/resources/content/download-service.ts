import type { FileStore } from '../../blocks/file-store.ts';
import { NotFoundError, StorageError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { HeldContent } from '../../model/content-entries.ts';
import { jsonOf } from '../../model/from-json.ts';
import { maxOnLoop } from '../../model/large.ts';
import { RecentMap } from '../../model/recent-map.ts';
import { findHeldContent, type HeldQuery } from '../../store/content/held-content.ts';
import { type EntityRow, entitySize, findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { storingLater } from '../../store/storage-error.ts';
import type { Asker } from '../../store/threads/asker-turns.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { downloadHeaders } from './download.ts';
import { filesOf } from './intake.ts';
import type { LinkedContent, Links } from './links.ts';

/** Which content of an entity. */
export type WantedContent = Omit<HeldQuery, 'id'>;

/** Bytes on this node, and how they are answered. */
export interface Download {
  folder: string;
  path: string;
  headers: Record<string, string>;
}

/** The bytes that entities hold, to whoever may view them. */
export class DownloadService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #links: Links;
  readonly #publicUrl: string | null;
  /** What reading bytes has shown, by where they are and when they came: many may ask for the same ones, each a little of them. */
  readonly #sound = new RecentMap<string, Promise<boolean>>(1000);

  constructor(on: { writes: EntityWrites; entities: EntitiesService; links: Links; publicUrl: string | null }) {
    this.#writes = on.writes;
    this.#entities = on.entities;
    this.#links = on.links;
    this.#publicUrl = on.publicUrl;
  }

  async open(caller: Caller, id: string, wanted: WantedContent, type?: 'file'): Promise<Download> {
    const store = await this.#writes.store(caller);
    const { held } = await this.held(store, caller, id, wanted, type);
    return this.#opened(store, held, wanted.cid !== undefined);
  }

  /** Content of a live entity that the caller may view; with `type`, only of one, and by its action of downloading. */
  async held(
    store: NetworkStore,
    caller: Caller,
    id: string,
    wanted: WantedContent,
    type?: 'file',
  ): Promise<{ held: HeldContent; entity: EntityRow }> {
    const entity = store.read((db) => {
      const row = this.#entities.viewedRow(db, caller, id, type);
      if (type !== undefined) this.#writes.env.permissions.require(db, accepted(caller), `${type}:download`, row);
      return row;
    });
    return { held: await found(store, { id, ...wanted }, caller), entity };
  }

  /** An address that gives what it is signed for (see Links); `host` is the name under which the client reached us. */
  link(content: LinkedContent, host: string): string {
    return `${this.#publicUrl ?? `http://${host}`}/node/downloads/${this.#links.sign(content)}`;
  }

  /** What a link was signed for. */
  async openLink(asker: Asker, token: string): Promise<Download> {
    const link = this.#links.read(token, this.#writes.env.now());
    if (!link)
      throw new NotFoundError('Link not found: it is wrong or has expired. GET /files/{id}/download makes one');
    const store = await this.#writes.env.networks.get(link.network);
    const entity = store.read((db) => findEntity(db, link.entity));
    if (!entity || entity.deleted) throw new NotFoundError();
    const held = await found(store, { id: link.entity, cid: link.cid }, asker);
    return this.#opened(store, held, false);
  }

  async #opened(store: NetworkStore, held: HeldContent, byCid: boolean): Promise<Download> {
    const files = filesOf(store);
    const kept = await files.size(held.cid);
    if (kept === undefined)
      throw NotFoundError.of(
        `The bytes of ${held.cid} are not on this node: they have not come yet, or are where the entity was mirrored from`,
      );
    // Whoever wrote the entry may have been wrong about the size; the bytes tell.
    if (held.size !== null && kept !== held.size && !(await this.#isSound(files, held.cid)))
      throw new StorageError(
        `The bytes of ${held.cid} are damaged on this node: "archeion verify" sets them aside, and says what brings the right ones`,
      );
    return { ...files.place(held.cid), headers: downloadHeaders(held, byCid) };
  }

  async #isSound(files: FileStore, cid: string): Promise<boolean> {
    const key = `${files.place(cid).folder} ${cid} ${await files.keptSince(cid)}`;
    const known = this.#sound.get(key);
    if (known) return known;
    const read = storingLater(() => files.isSound(cid));
    this.#sound.set(key, read);
    const forget = () => this.#sound.delete(key);
    read.then((sound) => sound || forget(), forget);
    return read;
  }
}

/** What a large entity holds is read on a reader thread. */
async function found(store: NetworkStore, query: HeldQuery, asker: Asker): Promise<HeldContent> {
  const near = store.read((db) => entitySize(db, query.id) <= maxOnLoop && { held: findHeldContent(db, query) });
  const held = near ? near.held : (jsonOf(await store.readLong('heldContent', query, asker)) as HeldContent | null);
  if (held === null) throw NotFoundError.of('Nothing has been uploaded there');
  return held;
}
