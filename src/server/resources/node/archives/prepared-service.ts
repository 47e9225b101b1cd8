import { AlreadyExistsError, DomainError, NotFoundError, UnavailableError } from '../../../errors.ts';
import { plainName } from '../../../exchange/packages/payload.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import type { Network } from '../../../model/ids.ts';
import { findEntity } from '../../../store/entities.ts';
import type { Networks } from '../../../store/networks.ts';
import type { Export, ExportService } from './export-service.ts';
import type { PreparedExportView, PrepareExportBody } from './wire.ts';

interface Prepared {
  id: string;
  network: Network;
  name: string;
  ready: Export;
  state: PreparedExportView['state'];
  bytes: number;
  /** Why it broke off. */
  error?: string;
  /** Epoch milliseconds. */
  used: number;
}

const noLongerGood = 'The key or session that it was fetched with is good no longer: prepare another.';
const wasStopped = 'The export was stopped.';

const maxPrepared = 8;
const forgottenMs = 60 * 60 * 1000;
const endings = {
  car: '.car',
  ndjson: '.ndjson',
  csv: '.csv',
  bagit: '-bag.zip',
  'ro-crate': '-ro-crate.zip',
} as const;

export interface PreparedSurroundings {
  exports: ExportService;
  networks: Pick<Networks, 'get'>;
  newId: (network: Network) => string;
  now: () => number;
}

/**
 * Exports that are prepared by one request and fetched by another, as a browser saves files: it takes them as they come,
 * and meanwhile can be told how far they are. Each is the state at the moment of its preparation, and is fetched once.
 */
export class PreparedExportsService {
  readonly #env: PreparedSurroundings;
  readonly #prepared = new Map<string, Prepared>();

  constructor(env: PreparedSurroundings) {
    this.#env = env;
  }

  /** @throws ForbiddenError, ValidationError, NotFoundError, UnavailableError */
  async prepare(caller: Caller, body: PrepareExportBody): Promise<PreparedExportView> {
    operator(caller);
    const now = this.#env.now();
    this.#forget(now);
    const { format, collection, entities, history = 'all' } = body;
    const wish = { format, collection, entity: undefined, history, since: undefined, ...(entities && { entities }) };
    const ready = await this.#env.exports.start(caller, wish);
    const store = await this.#env.networks.get(caller.network);
    const label = collection === undefined ? undefined : store.read((db) => findEntity(db, collection)?.label);
    const title = `${plainName(label || (entities ? 'selection' : caller.network)).slice(0, 60)}`;
    const prepared: Prepared = {
      id: this.#env.newId(caller.network),
      network: caller.network,
      name: `${title}-${dayOf(new Date(now))}${endings[format]}`,
      ready,
      state: 'waiting',
      bytes: 0,
      used: now,
    };
    this.#prepared.set(prepared.id, prepared);
    return view(prepared);
  }

  /**
   * An export that is answered at once. Its answer cannot say any more why it breaks off: who reads it asks for that by
   * the id that `X-Archeion-Export` names.
   */
  direct(caller: Caller, ready: Export): Export {
    const id = this.#env.newId(caller.network);
    const headers = { ...ready.headers, 'X-Archeion-Export': id };
    const running: Prepared = { id, network: caller.network, name: id, ready, state: 'running', bytes: 0, used: 0 };
    return { ...ready, headers, chunks: this.#counted(caller, running, () => this.#keepBroken(running)) };
  }

  state(caller: Caller, id: string): PreparedExportView {
    return view(this.#find(caller, id));
  }

  /** What the answer says of the bytes before they come. @throws NotFoundError, AlreadyExistsError */
  headers(caller: Caller, id: string): Record<string, string> {
    return headersOf(this.#waiting(caller, id));
  }

  /** The bytes, once. @throws NotFoundError, AlreadyExistsError */
  fetch(caller: Caller, id: string): Export {
    const prepared = this.#waiting(caller, id);
    prepared.state = 'running';
    return { ...prepared.ready, headers: headersOf(prepared), chunks: this.#counted(caller, prepared) };
  }

  /** One that nobody has fetched; a link to its bytes names no network. */
  #waiting(caller: Caller, id: string): Prepared {
    operator(caller);
    const prepared = this.#prepared.get(id);
    if (!prepared) throw notPrepared();
    if (prepared.error === wasStopped) throw new AlreadyExistsError('This export was stopped: prepare another.');
    if (prepared.state !== 'waiting')
      throw new AlreadyExistsError('This export has been fetched already: prepare another.');
    return prepared;
  }

  /** Of what has ended nothing is left to stop. */
  async stop(caller: Caller, id: string): Promise<void> {
    const prepared = this.#find(caller, id);
    const { state } = prepared;
    if (state !== 'waiting' && state !== 'running') return;
    prepared.state = 'stopped';
    prepared.error = wasStopped;
    prepared.used = this.#env.now();
    // One that runs sees it with its next bytes.
    if (state === 'waiting') await prepared.ready.chunks.return(undefined);
  }

  #keepBroken(prepared: Prepared): void {
    prepared.used = this.#env.now();
    this.#evict(prepared.used);
    this.#prepared.set(prepared.id, prepared);
  }

  async *#counted(
    { isRevoked }: Caller,
    prepared: Prepared,
    broken?: () => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let state: Prepared['state'] = 'stopped';
    try {
      for await (const chunk of prepared.ready.chunks) {
        if (prepared.state === 'stopped') throw new UnavailableError(wasStopped);
        yield chunk;
        prepared.bytes += chunk.length;
        prepared.used = this.#env.now();
      }
      state = 'done';
      // It came to its end before it saw that it was to stop.
      delete prepared.error;
    } catch (error) {
      prepared.error = error instanceof DomainError ? error.sentence : 'Internal server error';
      broken?.();
      throw error;
    } finally {
      prepared.state = state;
      // It ends as one whose reader has left.
      if (state === 'stopped' && prepared.error === undefined && isRevoked?.()) {
        prepared.error = noLongerGood;
        broken?.();
      }
    }
  }

  #find(caller: Caller, id: string): Prepared {
    operator(caller);
    const prepared = this.#prepared.get(id);
    if (prepared?.network !== caller.network) throw notPrepared();
    return prepared;
  }

  /** @throws UnavailableError where so many run that there is no room for another */
  #forget(now: number): void {
    this.#evict(now);
    if (this.#prepared.size >= maxPrepared)
      throw new UnavailableError(`There are ${maxPrepared} exports running: wait until one ends.`, {
        under_way: 'exports',
      });
  }

  /** Those go that have ended or that nobody fetched within an hour, and beyond eight the one unused longest. */
  #evict(now: number): void {
    const idle = [...this.#prepared.values()]
      .filter(({ state }) => state !== 'running')
      .sort((a, b) => a.used - b.used);
    for (const { id, used } of idle)
      if (now - used > forgottenMs || this.#prepared.size >= maxPrepared) this.#prepared.delete(id);
  }
}

function headersOf({ name, ready }: Prepared): Record<string, string> {
  return { ...ready.headers, 'Content-Disposition': `attachment; filename="${name}"` };
}

/** The day where the node is: who saves an export in the morning does not look for the day before. */
function dayOf(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function notPrepared(): NotFoundError {
  return new NotFoundError('Export not found: prepare another');
}

function view({ id, name, ready, state, bytes, error }: Prepared): PreparedExportView {
  const url = `/node/exports/${id}/file`;
  return { id, name, entities: ready.entities, state, bytes, ...(error !== undefined && { error }), url };
}
