import { createHash, randomBytes } from 'node:crypto';
import { contentCid } from '../../../blocks/encode.ts';
import { FileStore } from '../../../blocks/file-store.ts';
import { UploadParts } from '../../../blocks/upload-parts.ts';
import { AlreadyExistsError, NotFoundError, ValidationError } from '../../../errors.ts';
import { networks as allNetworks, type Network } from '../../../model/ids.ts';
import { isAsDeclared } from '../../../model/media-type.ts';
import type { Row } from '../../../store/commit.ts';
import { findUpload, type UploadAddress, type UploadRow } from '../../../store/content/uploads.ts';
import { filesFolder, uploadsFolder } from '../../../store/network-folders.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { storingLater } from '../../../store/storage-error.ts';
import { type PartRange, partRange } from './part-range.ts';
import type { UploadView } from './wire.ts';

/** A body that brings bytes of an upload, with what its headers say. */
export interface PartUpload {
  type: string | null;
  length: number | null;
  /** `Content-Range` and `Upload-Offset`. */
  range: string | null;
  offset: string | null;
  bytes: AsyncIterable<Uint8Array>;
  /** Ends the request. */
  stop: () => void;
}

/** wire-contract.md 4.4: an address takes bytes for 15 minutes. */
const lifeMs = 15 * 60_000;
const secretBytes = 32;

type Found = NonNullable<ReturnType<typeof findUpload>>;

/** One request at a time writes the part of an upload. */
interface Writing {
  stop: () => void;
  done: Promise<unknown>;
}

/**
 * Addresses that take the bytes of one content for one entity without further credentials, and in several requests. What
 * has come is on disk, the address in the database: both outlive the process.
 */
export class UploadsService implements AsyncDisposable {
  readonly #networks: Pick<Networks, 'get'>;
  readonly #now: () => number;
  readonly #publicUrl: string | null;
  readonly #writing = new Map<string, Writing>();

  constructor(env: { networks: Pick<Networks, 'get'>; now: () => number; publicUrl: string | null }) {
    this.#networks = env.networks;
    this.#now = env.now;
    this.#publicUrl = env.publicUrl;
  }

  /** Makes an address; `host` is the name under which the client reached us. Whether it may have one is settled. */
  async offer(
    store: NetworkStore,
    upload: Omit<UploadAddress, 'token' | 'expires'>,
    host: string,
  ): Promise<{ url: string; expires: string }> {
    const secret = `${store.network}-${randomBytes(secretBytes).toString('base64url')}`;
    const expires = this.#now() + lifeMs;
    await this.#record(store, { kind: 'upload', ...upload, token: digest(secret), expires });
    const url = `${this.#publicUrl ?? `http://${host}`}/node/uploads/${secret}`;
    return { url, expires: new Date(expires).toISOString() };
  }

  async state(secret: string): Promise<UploadView> {
    const { store, upload } = await this.#find(secret);
    // Whoever receives it now finishes it too.
    if (this.#writing.has(upload.token) || !hasCome(upload)) return this.#view(store, upload);
    const finished = await this.#alone(
      upload.token,
      () => undefined,
      () => this.#finished(store, upload),
    );
    return this.#view(store, finished);
  }

  /**
   * Takes bytes: all of them, or where the headers state a range, those that go on where the part ends. A request that
   * is cut off leaves what came. @throws AlreadyExistsError with the offset where the range begins elsewhere
   */
  async receive(secret: string, body: PartUpload): Promise<UploadView> {
    let stopped = false;
    const stop = () => {
      stopped = true;
      body.stop();
    };
    return this.#alone(digest(secret), stop, () => {
      if (stopped) throw ValidationError.at([], 'another request goes on with this upload');
      return this.#receive(secret, body);
    });
  }

  /** Works on an upload when whoever did so before has ended, which a client that comes again has given up. */
  async #alone<T>(token: string, stop: () => void, work: () => Promise<T>): Promise<T> {
    const before = this.#writing.get(token);
    before?.stop();
    const working = (before?.done ?? Promise.resolve()).then(work);
    const writing = { stop, done: working.catch(() => undefined) };
    this.#writing.set(token, writing);
    try {
      return await working;
    } finally {
      if (this.#writing.get(token) === writing) this.#writing.delete(token);
    }
  }

  async #receive(secret: string, body: PartUpload): Promise<UploadView> {
    const found = await this.#find(secret);
    const { store } = found;
    const upload = await this.#finished(store, found.upload);
    const { token, size, type } = upload;
    if (upload.received !== null) {
      // Sent again, as a client does whose answer was lost; a part of them is taken to be of the same.
      if (body.range === null && body.offset === null)
        await sameAgain(bounded(body.bytes, undefined, size), upload.received);
      return this.#view(store, upload);
    }
    if (body.type !== null && !isAsDeclared(body.type, type))
      throw ValidationError.at(['content-type'], `must be ${type}, for which the address was made`);
    const range = partRange(body, size);
    if (!range && body.length !== null && body.length !== size)
      throw ValidationError.at(['size'], `${body.length} bytes come, not ${size}`);
    const parts = partsOf(store);
    const at = await offsetOf(store, upload);
    if (range && range.start !== at)
      throw new AlreadyExistsError(`The upload stands at ${at} bytes: go on from there`, { offset: at });
    let whole: string | null;
    let come = upload.come;
    // All of them count only once they are known to be the right ones: see hasCome.
    const counted = () => Math.max(0, Math.min(come, size - 1));
    const kept = async (size: number) => {
      come = size;
      await this.#record(store, step(upload, { come: counted() }));
    };
    try {
      const from = range?.start ?? 0;
      // What is written anew is not known to be on disk until it is.
      if (from < come) await kept(from);
      whole = (await storingLater(() => parts.write(token, bounded(body.bytes, range, size), from, kept))).cid;
    } finally {
      // What came can be gone on with for as long again.
      await this.#record(store, step(upload, { expires: this.#now() + lifeMs, come: counted() }));
    }
    if (come < size && range) return this.#view(store, { ...upload, come });
    if (come !== size) {
      await parts.remove(token);
      throw ValidationError.at(['size'], `${come} bytes came, not ${size}`);
    }
    return this.#view(store, await this.#completed(store, upload, whole ?? (await parts.cid(token))));
  }

  /** All bytes have come: they are kept under their CID. @throws ValidationError where that is another than was declared */
  async #completed(store: NetworkStore, upload: Found, received: string): Promise<Found> {
    const { token, cid } = upload;
    const parts = partsOf(store);
    if (cid !== null && cid !== received) {
      await this.#record(store, step(upload, { come: 0 }));
      await parts.remove(token);
      throw ValidationError.at(['cid'], `the bytes are those of ${received}: begin again`);
    }
    // Once the part has become a file, nothing else would say that these bytes came, and whose they are.
    await this.#record(store, step(upload, { come: upload.size, cid: received }));
    await storingLater(() => new FileStore(filesFolder(store.folder)).adopt(parts.path(token), received));
    return this.#received(store, upload, received);
  }

  async #received(store: NetworkStore, upload: Found, received: string): Promise<Found> {
    await this.#record(store, step(upload, { come: upload.size, received }));
    return { ...upload, received };
  }

  /** An upload whose bytes had all come when the node was stopped before it could say so. */
  async #finished(store: NetworkStore, upload: Found): Promise<Found> {
    const { token, cid } = upload;
    if (cid === null || !hasCome(upload)) return upload;
    const parts = partsOf(store);
    // Earlier programs counted them all before they had compared them.
    if (await parts.has(token)) return this.#completed(store, upload, await parts.cid(token));
    return new FileStore(filesFolder(store.folder)).has(cid) ? this.#received(store, upload, cid) : upload;
  }

  async #view(store: NetworkStore, upload: Found): Promise<UploadView> {
    const { token, size, received, expires } = upload;
    // Whoever looks on sees what comes.
    const offset = this.#writing.has(token) ? await partsOf(store).size(token) : await offsetOf(store, upload);
    return {
      offset: received === null ? offset : size,
      size,
      complete: received !== null,
      ...(received !== null && { cid: received }),
      expires_at: new Date(expires).toISOString(),
    };
  }

  async #find(secret: string): Promise<{ store: NetworkStore; upload: Found }> {
    const network = allNetworks.find((one) => secret.startsWith(`${one}-`));
    if (network === undefined) throw unknownUpload();
    const store = await this.#networks.get(network satisfies Network);
    const upload = store.look((db) => findUpload(db, digest(secret)));
    if (!upload || upload.expires < this.#now()) throw unknownUpload();
    store.requirePlace();
    return { store, upload };
  }

  /** Ends what is being received, with what has come noted. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stop } of this.#writing.values()) stop();
    await Promise.all([...this.#writing.values()].map(({ done }) => done));
  }

  async #record(store: NetworkStore, row: Row): Promise<void> {
    await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: this.#now() }]);
  }
}

/** The bytes of a range, or of the whole; more than these are refused. */
async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  range: PartRange | undefined,
  size: number,
): AsyncGenerator<Uint8Array> {
  const most = (range?.end ?? size) - (range?.start ?? 0);
  let come = 0;
  for await (const chunk of bytes) {
    come += chunk.length;
    if (come > most) throw ValidationError.at(['size'], `more than ${most} bytes came`);
    yield chunk;
  }
}

/** @throws ValidationError where these are not the bytes that have come, which nobody would miss before they are wanted */
async function sameAgain(bytes: AsyncIterable<Uint8Array>, received: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  const cid = contentCid(hash.digest());
  if (cid !== received)
    throw ValidationError.at(['cid'], `the bytes are those of ${cid}, and those of ${received} have come: ${wayOut}`);
}

const wayOut = 'ask for another address, or send them to POST /files/{id}/content';

/** Where an upload goes on: after a power cut a part may be longer than what of it is on the disk. */
async function offsetOf(store: NetworkStore, { token, come }: Found): Promise<number> {
  return Math.min(come, await partsOf(store).size(token));
}

/**
 * Whether all bytes had come and been compared with the CID, without its having been said. That others lie under that CID says
 * nothing of these; and of no bytes all have come before any request.
 */
function hasCome({ received, cid, come, size }: Found): boolean {
  return received === null && cid !== null && size > 0 && come === size;
}

function step({ token, expires, come }: Found, to: Partial<UploadRow & { kind: 'upload_step' }>): Row {
  return { kind: 'upload_step', token, expires, come, cid: null, received: null, ...to };
}

function partsOf({ folder }: NetworkStore): UploadParts {
  return new UploadParts(uploadsFolder(folder));
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function unknownUpload(): NotFoundError {
  return new NotFoundError('Upload not found: the address is wrong or has expired. Ask for another');
}
