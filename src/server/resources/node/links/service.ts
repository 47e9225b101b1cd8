import { NotFoundError, ValidationError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { findEntity } from '../../../store/entities.ts';
import { type IncomingPlace, incomingPage } from '../../../store/graph/incoming.ts';
import type { Networks } from '../../../store/networks.ts';
import { checkNetwork } from '../../entities/writes.ts';
import type { IncomingLinksView } from './wire.ts';

/** What leads to an entity, however much that is. */
export class LinksService {
  readonly #networks: Pick<Networks, 'get'>;

  constructor(networks: Pick<Networks, 'get'>) {
    this.#networks = networks;
  }

  /** `after`: `next` of the page before. @throws ForbiddenError, ValidationError, NotFoundError */
  async incoming(
    caller: Caller,
    id: string,
    { after, limit }: { after: string | undefined; limit: number },
  ): Promise<IncomingLinksView> {
    operator(caller);
    checkNetwork(caller.network, id, ['id']);
    const { total, ...place } = placeOf(after);
    const store = await this.#networks.get(caller.network);
    const found = store.read((db) => {
      const row = findEntity(db, id);
      return row && !row.deleted ? incomingPage(db, { id, after: place, limit: limit + 1, total }) : null;
    });
    if (!found) throw new NotFoundError('Entity not found');
    const all = found.total ?? Number(Buffer.from(await store.readLong('incomingTotal', { id }, caller)).toString());
    const rows = found.rows.slice(0, limit);
    const last = found.rows.length > limit ? rows.at(-1) : undefined;
    return {
      relationships: rows.map((row) => ({
        predicate: row.name,
        peer_id: row.id,
        peer_type: row.type,
        peer_label: row.label,
      })),
      total: all,
      next: last ? `${last.predicate}.${last.source}.${all}` : null,
    };
  }
}

/** Also how much there was in all when the first page was read. */
function placeOf(after: string | undefined): IncomingPlace & { total?: number } {
  if (after === undefined) return { predicate: 0, source: 0 };
  const [, predicate, source, total] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  if (predicate === undefined || source === undefined || total === undefined)
    throw ValidationError.at(['after'], 'must be `next` of the page before');
  return { predicate: Number(predicate), source: Number(source), total: Number(total) };
}
