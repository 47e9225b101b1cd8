import { NotFoundError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { jsonOf } from '../../../model/from-json.ts';
import { findEntity } from '../../../store/entities.ts';
import type { EntityMove } from '../../../store/history-reads.ts';
import type { Networks } from '../../../store/networks.ts';
import { checkNetwork } from '../../entities/writes.ts';
import type { HistoryMoveView, HistoryView, ReceivedFromView } from './wire.ts';

/** What happened to an entity on this node: each move of its tip, and where it came from. */
export class HistoryService {
  readonly #networks: Pick<Networks, 'get'>;

  constructor(networks: Pick<Networks, 'get'>) {
    this.#networks = networks;
  }

  /** @throws ForbiddenError, NotFoundError */
  async list(caller: Caller, id: string, limit: number, before: number | undefined): Promise<HistoryView> {
    operator(caller);
    checkNetwork(caller.network, id, ['id']);
    const store = await this.#networks.get(caller.network);
    if (!store.read((db) => findEntity(db, id))) throw new NotFoundError();
    const args = { id, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const found = jsonOf(await store.readLong('entityMoves', args, caller)) as EntityMove[];
    const moves = found.slice(0, limit);
    const more = found.length > limit;
    return {
      entity_id: id,
      moves: moves.map(view),
      has_more: more,
      next_cursor: more ? (moves.at(-1)?.id ?? null) : null,
    };
  }
}

function view({ id, from, to, origin, time }: EntityMove): HistoryMoveView {
  return { id, from, to, origin, received_from: receivedFrom(origin), ts: new Date(time).toISOString() };
}

function receivedFrom(origin: string): ReceivedFromView | null {
  const [, kind, source = ''] = /^(remote|from):(.*)$/s.exec(origin) ?? [];
  if (kind === undefined) return null;
  if (kind === 'remote') return { remote: source };
  const [account = '', instance = ''] = source.split('/');
  return { account, instance };
}
