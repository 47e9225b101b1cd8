import { cidBytes } from '../../../blocks/cid.ts';
import { segmentHead } from '../../../blocks/segment-car.ts';
import { LoopTurns } from '../../../loop/loop-turns.ts';
import type { Actor } from '../../../model/actor.ts';
import { accepted, type Caller } from '../../../model/caller.ts';
import { networkOf } from '../../../model/ids.ts';
import { findBlock } from '../../../store/blocks.ts';
import type { Reader } from '../../../store/connection.ts';
import { findEntity, findTip, liveAfter } from '../../../store/entities.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { type Stretch, segmentsOf } from '../../../store/remotes/segment-reads.ts';
import { checkNetwork } from '../../entities/writes.ts';
import type { PermissionsService } from '../../permissions/service.ts';
import type { LiveIdsView, TipsView, WantedStretch } from './wire.ts';

/** An answer ends after so many bytes; what it lacks is asked for again. */
const maxBytes = 4 * 1024 * 1024;
/** Stretches that are looked for in one read, and entities of a page. */
const perRead = 1000;

/** What the root block of an answer says. */
interface Found {
  stretches: Stretch[];
  /** What is not here, or not to be seen by the caller. */
  without: { id: string; reason: 'missing' | 'forbidden' }[];
  /** Whose tip is another version than the one that was asked for. */
  moved: string[];
}

/** Versions as blocks, for nodes that mirror this one. */
export class BlocksService {
  readonly #networks: Pick<Networks, 'get'>;
  readonly #permissions: PermissionsService;
  readonly #turns = new LoopTurns();

  constructor(networks: Pick<Networks, 'get'>, permissions: PermissionsService) {
    this.#networks = networks;
    this.#permissions = permissions;
  }

  /** The bytes of a CAR (see POST /node/sync/blocks), made as they are read. */
  async start(caller: Caller, wants: WantedStretch[]): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
    const actor = accepted(caller);
    const store = await this.#networks.get(caller.network);
    const found: Found = { stretches: [], without: [], moved: [] };
    await this.#turns.each(wants, (want) =>
      store.look((db) => {
        const reason = networkOf(want.id) === caller.network ? this.#find(db, actor, want, found) : 'missing';
        if (reason !== null) found.without.push({ id: want.id, reason });
      }),
    );
    return carOf(store, found);
  }

  async tips(caller: Caller, ids: string[]): Promise<TipsView> {
    accepted(caller);
    const store = await this.#networks.get(caller.network);
    const tips: TipsView['tips'] = [];
    await this.#turns.each([...new Set(ids)], (id) => {
      const cid = networkOf(id) === caller.network ? store.look((db) => findTip(db, id)) : undefined;
      if (cid !== undefined) tips.push({ id, cid });
    });
    return { tips };
  }

  /** @param after an entity's id, or nothing. @throws ValidationError where it is one of the other network */
  async live(caller: Caller, after: string): Promise<LiveIdsView> {
    const actor = accepted(caller);
    if (after !== '') checkNetwork(caller.network, after, ['after']);
    const store = await this.#networks.get(caller.network);
    const rows = store.read((db) => liveAfter(db, after, perRead));
    const ids: string[] = [];
    await this.#turns.each(rows, (row) => {
      if (store.look((db) => this.#permissions.may(db, actor, 'entity:view', row))) ids.push(row.id);
    });
    return { ids, next: rows.length === perRead ? (rows.at(-1)?.id ?? null) : null };
  }

  #find(db: Reader, actor: Actor, { id, cid, have }: WantedStretch, found: Found): 'missing' | 'forbidden' | null {
    const row = findEntity(db, id);
    if (!row) return 'missing';
    if (!this.#permissions.may(db, actor, 'entity:view', row)) return 'forbidden';
    const block = isWritten(cid) ? findBlock(db, cid) : undefined;
    if (block?.entity !== row.key) return 'missing';
    found.stretches.push({ from: block.key, have: have ?? null });
    if (row.cid !== cid) found.moved.push(id);
    return null;
  }
}

function isWritten(cid: string): boolean {
  try {
    cidBytes(cid);
    return true;
  } catch {
    return false;
  }
}

async function* carOf(store: NetworkStore, found: Found): AsyncGenerator<Uint8Array, void, undefined> {
  const { without, moved } = found;
  yield segmentHead({ archeion: 'blocks', version: 1, without, moved });
  let bytes = 0;
  for (let left = found.stretches; left.length > 0 && bytes < maxBytes; ) {
    const next = segmentsOf(await store.readLong('segmentsPage', { stretches: left.slice(0, perRead) }), left);
    left = next.left;
    bytes += next.sections.length;
    yield next.sections;
  }
}
