import { historicJson } from '../../blocks/encode.ts';
import { NotFoundError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding } from '../../store/entities.ts';
import { chain, findVersion, hasVersion, type Version } from '../../store/versions.ts';
import { namedVersion } from '../entities/named-version.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { HistoricManifestView, HistoricView, VersionsView } from './wire.ts';

/** History by entity and by CID (interface.md, Versioning); it goes on answering for deleted entities. */
export class VersionsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  async list(caller: Caller, id: string, limit: number, from: string | undefined): Promise<VersionsView> {
    const store = await this.#writes.store(caller);
    const { versions, next } = store.read((db) => {
      const standing = this.#writes.standing(db, caller.network, id);
      this.#writes.env.permissions.require(db, accepted(caller), 'entity:view', standing);
      const start = from === undefined ? standing.cid : namedVersion(db, id, from, 'from').cid;
      const page = chain(db, start, limit);
      const before = page.at(-1)?.manifest.prev ?? null;
      return { versions: page, next: before !== null && hasVersion(db, before) ? before : null };
    });
    return {
      entity_id: id,
      versions: versions.map(({ cid, manifest: m }) => ({
        ver: m.ver,
        cid,
        ts: m.ts,
        edited_by: m.edited_by,
        ...(m.note === undefined ? {} : { note: m.note }),
      })),
      has_more: next !== null,
      next_cursor: next,
    };
  }

  async manifest(caller: Caller, cid: string): Promise<HistoricView> {
    const store = await this.#writes.store(caller);
    const version = store.read((db) => this.#readable(db, caller, cid));
    return { cid: version.cid, manifest: historicJson(version.bytes) as unknown as HistoricManifestView };
  }

  #readable(db: Reader, caller: Caller, cid: string): Version {
    const version = findVersion(db, cid);
    const standing = version && findStanding(db, version.entity);
    if (!version || !standing) throw new NotFoundError();
    this.#writes.env.permissions.require(db, accepted(caller), 'entity:view', standing);
    return version;
  }
}
