import { isContentCid } from '../../blocks/cid.ts';
import type { FileStore } from '../../blocks/file-store.ts';
import { NotFoundError, StorageError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { type HeldContent, heldContent } from '../../model/content-entries.ts';
import type { Reader } from '../../store/connection.ts';
import { holds } from '../../store/content-holders.ts';
import { findStanding, type Standing } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { RecentMap } from '../../store/recent-map.ts';
import { storingLater } from '../../store/storage-error.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { downloadHeaders } from './download.ts';
import { filesOf } from './intake.ts';
import type { LinkedContent, Links } from './links.ts';

/** Which content of an entity; neither: the one that it has by itself (see heldContent). */
export interface WantedContent {
  key?: string | undefined;
  cid?: string | undefined;
}

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
    const held = store.read((db) => this.held(db, caller, id, wanted, type));
    return this.#opened(store, held, wanted.cid !== undefined);
  }

  /** Content of a live entity that the caller may view; with `type`, only of one, and by its action of downloading. */
  held(db: Reader, caller: Caller, id: string, wanted: WantedContent, type?: 'file'): HeldContent {
    const standing = this.#entities.viewed(db, caller, id);
    if (type !== undefined) {
      if (standing.type !== type) throw new NotFoundError();
      this.#writes.env.permissions.require(db, accepted(caller), `${type}:download`, standing);
    }
    return found(db, standing, wanted);
  }

  /** An address that gives what it is signed for (see Links); `host` is the name under which the client reached us. */
  link(content: LinkedContent, host: string): string {
    return `${this.#publicUrl ?? `http://${host}`}/node/downloads/${this.#links.sign(content)}`;
  }

  /** What a link was signed for. */
  async openLink(token: string): Promise<Download> {
    const link = this.#links.read(token, this.#writes.env.now());
    if (!link)
      throw new NotFoundError('Link not found: it is wrong or has expired. GET /files/{id}/download makes one');
    const store = await this.#writes.env.networks.get(link.network);
    const held = store.read((db) => {
      const standing = findStanding(db, link.entity);
      if (!standing || standing.deleted) throw new NotFoundError();
      return found(db, standing, { cid: link.cid });
    });
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

/** By CID also what earlier versions held: these can be read, and so can their bytes. */
function found(db: Reader, { key: entity, manifest }: Standing, { key, cid }: WantedContent): HeldContent {
  const held = heldContent(manifest, { ...(key !== undefined && { key }), ...(cid !== undefined && { cid }) });
  if (held && isContentCid(held.cid) && (cid === undefined || held.cid === cid)) return held;
  const earlier = key === undefined && cid !== undefined && isContentCid(cid) && holds(db, entity, cid);
  if (!earlier) throw NotFoundError.of('Nothing has been uploaded there');
  return { cid, type: null, filename: null, size: null };
}
