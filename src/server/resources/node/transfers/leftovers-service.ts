import { FileStore } from '../../../blocks/file-store.ts';
import { PartialFiles } from '../../../blocks/partial-files.ts';
import { UploadParts } from '../../../blocks/upload-parts.ts';
import { isNamed } from '../../../store/content/content-holders.ts';
import { hasExpired, openUploads } from '../../../store/content/uploads.ts';
import { filesFolder, partialsFolder, uploadsFolder } from '../../../store/network-folders.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { archiveTasks } from '../../../store/tasks.ts';

const hour = 3_600_000;
/** An upload is remembered for so long after its address has expired: `complete` may name its bytes. */
const rememberedMs = 24 * hour;
/** Bytes that no version names stay for longer than any upload that brought them is remembered. */
const orphanMs = 48 * hour;
/** Then they lie aside, for as long as somebody may take to see that a version names them after all. */
const asideMs = 28 * 24 * hour;
/** What has come of a fetch is gone on with for so long. */
const partialMs = 7 * 24 * hour;

interface Log {
  error(details: object, message: string): void;
}

/** Clears what interrupted and given-up uploads leave on the disk: on opening a network, and every hour. */
export class LeftoversService implements AsyncDisposable {
  readonly #networks: Pick<Networks, 'opened'>;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> | null = null;
  #closed = false;

  constructor(networks: Pick<Networks, 'opened'>, now: () => number, log: Log) {
    this.#networks = networks;
    this.#now = now;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.sweep().catch((error: unknown) => log.error({ err: error }, 'old uploads could not be cleared'));
    }, hour);
    this.#timer.unref();
  }

  /** For a network that is being opened, before anything is received: what a crash left goes too. */
  async clear(store: NetworkStore): Promise<void> {
    await filesOf(store).sweepIncoming();
    await this.#uploads(store, Number.POSITIVE_INFINITY);
  }

  /** One at a time: who asks while it goes on waits for that one. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    for (const store of this.#networks.opened()) {
      if (this.#closed) return;
      // A long request may go on after its address has expired.
      await this.#uploads(store, this.#now() - hour);
      await this.#orphans(store);
      await new PartialFiles(partialsFolder(store.folder)).sweep(this.#now() - partialMs);
    }
  }

  async #uploads(store: NetworkStore, before: number): Promise<void> {
    const time = this.#now();
    const { open, expired } = store.read((db) => ({
      open: openUploads(db, time),
      expired: hasExpired(db, time - rememberedMs),
    }));
    await new UploadParts(uploadsFolder(store.folder)).sweep(new Set(open), before);
    if (!expired) return;
    const row = { kind: 'uploads_expired' as const, before: time - rememberedMs };
    await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time }]);
  }

  /**
   * An import brings bytes before the versions that name them, and does not bring those that are here. What says that nothing names
   * them is made of the versions and may be damaged, so they lie aside for some weeks before they go.
   */
  async #orphans(store: NetworkStore): Promise<void> {
    const files = filesOf(store);
    const isImporting = () => store.read(archiveTasks).unfinished.length > 0;
    const isInUse = (cid: string) => store.read((db) => isNamed(db, cid));
    // Nothing goes for that long.
    if (isImporting()) return files.sweepUnwanted(Number.NEGATIVE_INFINITY, isInUse);
    const isWanted = (cid: string) => isInUse(cid) || isImporting();
    for await (const cid of files.list()) {
      if (this.#closed) return;
      await files
        .setUnwantedAside(cid, this.#now() - orphanMs, () => isWanted(cid))
        // One that belongs to another user of the machine, say.
        .catch((err: unknown) => this.#log.error({ err, cid }, 'bytes that nobody wants could not be set aside'));
    }
    await files.sweepUnwanted(this.#now() - asideMs, isWanted);
  }

  /** Ends soon: what is not looked at by then is after the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    // Whoever began it hears how it ended.
    await this.#sweeping?.catch(() => undefined);
  }
}

function filesOf({ folder }: NetworkStore): FileStore {
  return new FileStore(filesFolder(folder));
}
