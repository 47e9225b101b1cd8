import { isContentCid } from '../../blocks/cid.ts';
import { ConflictError, type Issue, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { isAsDeclared, servedType } from '../../model/media-type.ts';
import { applyUpdate } from '../../model/next-version.ts';
import { present } from '../../model/objects.ts';
import { type WireManifest, wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { type FileVersion, findFileVersion } from '../../store/content/file-versions.ts';
import { receivedFor } from '../../store/content/uploads.ts';
import type { Standing } from '../../store/entities.ts';
import type { DownloadService } from '../content/download-service.ts';
import { checkLength, filesOf, head, receive, sniffedType, typeIssues, type Upload } from '../content/intake.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import type { UploadsService } from '../node/transfers/service.ts';
import type { CasBody, JsonMap } from '../wire.ts';
import type { CreateFileBody, FileDownloadView, ReuploadBody, UpdateFileBody } from './wire.ts';

/** What a version of a file says of its bytes; null where it does not. */
interface Declared {
  key: string | null;
  type: string | null;
  size: number | null;
  uploaded: boolean;
}

/** What the file's own bytes are to become. */
interface Arrived {
  cid: string;
  size: number;
  type: string;
}

/** Bytes that are to be a file's, with what it declared when they began to come; before that it is only asked what it declares. */
export interface FileArrival {
  id: string;
  came: (Arrived & { declared: Declared }) | null;
}

/** What a file declares, and the version that says that its bytes are there: one that another thread made, as JSON. */
export interface FileEntered {
  declared: Declared;
  made: WireManifest | Uint8Array | null;
}

/** Enters the bytes of files that are too much for the event loop on another thread, as `FilesService.enter` does. */
export interface LargeFiles {
  namesLarge(caller: Caller, named: { id: string }): boolean;
  enterFile(caller: Caller, arrival: FileArrival): Promise<FileEntered>;
}

const linkMs = 5 * 60_000;

/**
 * Files in the earlier form (wire-contract.md 2.1): an entity of type `file` is declared first, its bytes follow once, and
 * a reupload declares others. A `key` is known by the file's own versions: it exists where a version with it has its bytes.
 */
export class FilesService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #downloads: DownloadService;
  readonly #uploads: UploadsService;
  readonly #large: LargeFiles | null;

  constructor(on: {
    writes: EntityWrites;
    entities: EntitiesService;
    downloads: DownloadService;
    uploads: UploadsService;
    large: LargeFiles | null;
  }) {
    this.#writes = on.writes;
    this.#entities = on.entities;
    this.#downloads = on.downloads;
    this.#uploads = on.uploads;
    this.#large = on.large;
  }

  /** A file that waits for its bytes, and an address that takes them. */
  async create(
    caller: Caller,
    { key, filename, content_type, size, cid, ...body }: CreateFileBody,
    host: string,
  ): Promise<{ manifest: WireManifest; url: string; expires: string }> {
    const declared = { key, filename, content_type, size, uploaded: false };
    const { label = filename, description, properties, relationships, collection } = body;
    refuse([...textIssues({ key, filename, label: body.label, description }), ...typeIssues({ content_type })]);
    if (cid !== undefined && !isContentCid(cid))
      throw ValidationError.at(['cid'], 'must be the CID of bytes (bafkrei...)');
    const { cid: _, ...others } = properties ?? {};
    const { manifest } = await this.#entities.create(
      caller,
      {
        type: 'file',
        properties: { ...others, ...declared, label, ...(description !== undefined && { description }) },
        ...(relationships && { relationships }),
        ...(collection !== undefined && { collection }),
      },
      'always',
    );
    const store = await this.#writes.store(caller);
    const address = { entity: manifest.id, cid: cid ?? null, file_key: key, type: content_type, size };
    return { manifest, ...(await this.#uploads.offer(store, address, host)) };
  }

  read(caller: Caller, id: string): Promise<string | Uint8Array> {
    return this.#entities.read(caller, id, 'file');
  }

  /** Metadata. An earlier version's `key` brings back its bytes, with the size and type that they had. */
  async update(caller: Caller, id: string, body: UpdateFileBody): Promise<WireManifest> {
    registered(caller);
    const { key, filename, content_type, size, label, description, ...rest } = body;
    const named = { key, filename, content_type, size, label, description };
    refuse([...textIssues({ key, filename, label, description }), ...typeIssues({ content_type })]);
    const earlier = key === undefined ? null : await this.#earlier(caller, body.expect_tip, key);
    const returns = ({ properties }: Manifest) => key !== undefined && key !== properties.key;
    return this.#entities.change(caller, id, body.expect_tip, rest, 'always', {
      type: 'file',
      adapt: (current) => ({
        ...rest,
        ...(returns(current) && { properties_remove: withoutBytes(rest.properties_remove) }),
        properties: { ...rest.properties, ...(returns(current) ? bytesOf(earlier) : {}), ...present(named) },
      }),
      issues: (current) => {
        if (returns(current) && !earlier)
          return [{ path: ['key'], message: 'is the key of no earlier version of this file that has its bytes' }];
        const kept = returns(current) ? earlier?.properties.size : current.properties.size;
        const has = returns(current) || declaredIn(current).uploaded;
        return size !== undefined && has && size !== kept
          ? [{ path: ['size'], message: `the bytes are ${kept}: reupload others` }]
          : [];
      },
    });
  }

  /** Declares other bytes, which then are to be uploaded; the present ones stay with the versions so far. */
  async reupload(caller: Caller, id: string, body: ReuploadBody): Promise<WireManifest> {
    registered(caller);
    const { key, content_type, size, filename, label, description, expect_tip, note } = body;
    // Nothing else that came along: it takes no permission to change the file.
    const cas = { expect_tip, ...(note !== undefined && { note }) };
    refuse([...textIssues({ key, filename, label, description }), ...typeIssues({ content_type })]);
    const earlier = await this.#earlier(caller, expect_tip, key);
    const properties = present({ key, content_type, size, filename, label, description, uploaded: false });
    return this.#entities.change(caller, id, expect_tip, { ...cas, properties }, 'always', {
      type: 'file',
      step: { uploading: 'reupload' },
      adapt: () => ({ ...cas, properties_remove: ['cid'], properties }),
      issues: () =>
        earlier
          ? [{ path: ['key'], message: `exists: version ${earlier.ver} of this file has it. Give a new one` }]
          : [],
    });
  }

  async #earlier(caller: Caller, tip: string, fileKey: string): Promise<FileVersion | null> {
    const store = await this.#writes.store(caller);
    const isHere = async (cid: string) => (await filesOf(store).size(cid)) !== undefined;
    return findFileVersion(store, { tip, fileKey, isHere });
  }

  /** Receives the declared bytes; whoever may not send them is told before one is read. */
  async upload(caller: Caller, id: string, upload: Upload): Promise<FileEntered['made']> {
    registered(caller);
    checkLength(upload, null);
    const store = await this.#writes.store(caller);
    const enter = (came: FileArrival['came']) => {
      const large = this.#large?.namesLarge(caller, { id }) ? this.#large : null;
      return large ? large.enterFile(caller, { id, came }) : this.enter(caller, { id, came });
    };
    const { declared } = await enter(null);
    if (declared.type !== null && !isAsDeclared(upload.type ?? '', declared.type))
      throw ValidationError.at(['content-type'], `must be ${declared.type}, as the file was declared`);
    const { cid, size } = await receive(store, upload, declared.size);
    const type = declared.type ?? upload.type ?? (await sniffedType(filesOf(store).read(cid, head)));
    const { made } = await this.#writes.queued(store, id, () => enter({ declared, cid, size, type }));
    return made;
  }

  /** Enters bytes that have come; before that it only looks whether they could. @throws ConflictError where it comes too late */
  async enter(caller: Caller, { id, came }: FileArrival): Promise<FileEntered> {
    const store = await this.#writes.store(caller);
    if (!came)
      return store.read((db) => {
        const base = this.#file(db, caller, id);
        const declared = declaredIn(base.manifest);
        this.#arrived(db, caller, base, { cid: '', size: declared.size ?? 0, type: '' });
        return { declared, made: null };
      });
    const { declared, cid, size, type } = came;
    const step = await this.#writes.writeOne(store, (db) => {
      const base = this.#file(db, caller, id);
      const now = declaredIn(base.manifest);
      if (now.key !== declared.key)
        throw ValidationError.at(['key'], 'the file was declared anew while its bytes came: upload them again');
      if (now.size !== null && now.size !== size) throw new ValidationError([otherSize(size)]);
      return this.#arrived(db, caller, base, { cid, size, type: now.type ?? type });
    });
    return { declared, made: wireManifest(step.cid, step.next) };
  }

  /** The version that says that the bytes are there. @throws ConflictError where they were already */
  #arrived(db: Reader, caller: Caller, base: Standing, { cid, size, type }: Arrived): Prepared {
    const stamp = this.#writes.stamp(registered(caller));
    const properties = { cid, size, content_type: type, uploaded: true };
    const next = applyUpdate(base.manifest, base.cid, { properties }, stamp);
    const permit = this.#writes.permit(db, caller, base, next, { uploading: 'upload', sent: [cid] });
    if (!base.deleted && declaredIn(base.manifest).uploaded) throw new ConflictError('', base.cid, uploadedAlready);
    return this.#writes.settle(db, base, next, undefined, permit);
  }

  /** Takes what came to the address of POST /files as the file's bytes; where these are there, it changes nothing. */
  async confirm(caller: Caller, id: string, { expect_tip, note }: CasBody): Promise<WireManifest> {
    registered(caller);
    refuse(textIssues({ note }));
    const store = await this.#writes.store(caller);
    const came = store.read((db) => {
      const { key, size } = declaredIn(this.#file(db, caller, id).manifest);
      return { cids: key === null ? [] : receivedFor(db, id, key), size };
    });
    const [cid] = came.cids;
    const size = cid === undefined ? undefined : await filesOf(store).size(cid);
    const plan = (db: Reader): { steps: Prepared[]; answer: WireManifest } => {
      const base = this.#file(db, caller, id);
      const stamp = this.#writes.stamp(registered(caller), note);
      const properties: JsonObject = cid === undefined || size === undefined ? {} : { cid, size, uploaded: true };
      const next = applyUpdate(base.manifest, base.cid, { properties }, stamp);
      const permit = this.#writes.permit(db, caller, base, next);
      if (declaredIn(base.manifest).uploaded && !base.deleted)
        return { steps: [], answer: wireManifest(base.cid, base.manifest) };
      const missing = size === undefined ? [bytesMissing] : size === came.size ? [] : [otherSize(size)];
      const step = this.#writes.settle(db, base, next, expect_tip, {
        ...permit,
        issues: [...permit.issues, ...missing],
      });
      return { steps: [step], answer: wireManifest(step.cid, step.next) };
    };
    const { answer } = await this.#writes.write(store, plan);
    return answer;
  }

  /** An address that gives the bytes for a while. */
  async link(caller: Caller, id: string, host: string): Promise<FileDownloadView> {
    const store = await this.#writes.store(caller);
    const { held, entity } = await this.#downloads.held(store, caller, id, {}, 'file');
    const size = await filesOf(store).size(held.cid);
    if (size === undefined) throw NotFoundError.of(`The bytes of ${held.cid} are not on this node`);
    const expires = this.#writes.env.now() + linkMs;
    return {
      download_url: this.#downloads.link({ network: caller.network, entity: id, cid: held.cid, expires }, host),
      expires_at: new Date(expires).toISOString(),
      filename: held.filename ?? entity.label,
      content_type: servedType(held.type),
      size,
    };
  }

  #file(db: Reader, caller: Caller, id: string): Standing {
    const base = this.#writes.standing(db, caller.network, id);
    if (base.type !== 'file') throw new NotFoundError();
    return base;
  }
}

const uploadedAlready = 'The file has its bytes: POST /files/{id}/reupload declares others';
const bytesMissing: Issue = {
  path: ['id'],
  message: 'no bytes have come: PUT them to upload_url, or send them to POST /files/{id}/content',
};

function otherSize(size: number): Issue {
  return { path: ['size'], message: `${size} bytes came, another number than was declared` };
}

function declaredIn({ properties }: Pick<Manifest, 'properties'>): Declared {
  const { key, content_type, size, uploaded } = properties;
  return {
    key: typeof key === 'string' ? key : null,
    type: typeof content_type === 'string' ? content_type : null,
    size: typeof size === 'number' ? size : null,
    uploaded: uploaded === true,
  };
}

/** What a version says of its bytes, to be said again. */
function bytesOf(version: FileVersion | null): JsonObject {
  const { key, cid, size, content_type, uploaded } = version?.properties ?? {};
  return present({ key, cid, size, content_type, uploaded }) as JsonObject;
}

/** With what is said of the present bytes, which an earlier version may not say of its own; not where members of members go. */
function withoutBytes(removal: string[] | JsonMap | undefined): string[] | JsonMap {
  const all = removal ?? [];
  return Array.isArray(all) ? [...all, 'size', 'content_type'] : all;
}
