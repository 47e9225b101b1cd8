import { randomUUID } from 'node:crypto';
import { ValidationError } from '../../errors.ts';
import type { Column, TableOrder } from '../../model/table.ts';
import { lastMove } from '../events.ts';
import type { NetworkStore } from '../network-store.ts';
import type { Asker } from '../threads/asker-turns.ts';
import { longestOrder, tooLate } from './table-order.ts';

/** The order of a table at one moment: pages cut from it do not shift while others write. */
interface View {
  store: NetworkStore;
  /** What was asked for, as text. */
  wanted: string;
  /** The last move before it was made. */
  moves: number;
  keys: Uint32Array;
}

export interface TablePage {
  /** The name of the view that the page was cut from. */
  view: string;
  total: number;
  /** JSON text of the rows (table-rows.ts). */
  rows: Uint8Array;
}

/** An order that is being made for those who wait for it. */
interface Making {
  askers: Asker[];
  made: Promise<[string, View]>;
}

const tooLong = `takes more than ${longestOrder / 1000} seconds here: ask with fewer conditions, for one type, or in no order`;
const maxViews = 16;
/** All views together, in rows of four bytes. */
const maxRows = 8_000_000;

/** Remembers orders of tables, the latest used ones; a forgotten one is made anew when it is asked for. */
export class TableViews {
  #views = new Map<string, View>();
  readonly #making = new Map<string, Making>();
  /** Names of an earlier start are none of these: their views are gone, whatever has been made since. */
  readonly #start = randomUUID().slice(0, 8);
  #made = 0;

  /**
   * A page of a table. With the name of a view it is cut from that one, if it is still known and is of the same table;
   * else from an order of this moment. @throws ValidationError where making that takes too long, or `asker` has left; BusyError
   */
  async page(
    store: NetworkStore,
    order: TableOrder,
    { view, offset, limit, columns }: { view?: string | undefined; offset: number; limit: number; columns: Column[] },
    asker: Asker,
  ): Promise<TablePage> {
    const wanted = JSON.stringify(order);
    const [name, { keys, moves }] = this.#known(store, wanted, view) ?? (await this.#make(store, order, wanted, asker));
    const page = [...keys.subarray(offset, offset + limit)];
    const rows = await store.readLong('tableRows', { keys: page, columns, since: moves }, asker);
    return { view: name, total: keys.length, rows };
  }

  /** That view, or one of which nothing can have changed since. */
  #known(store: NetworkStore, wanted: string, name: string | undefined): [string, View] | undefined {
    const moves = store.look(lastMove);
    for (const [each, view] of this.#views) {
      if (view.store !== store || view.wanted !== wanted || (each !== name && view.moves !== moves)) continue;
      if (name !== undefined && each !== name && this.#views.has(name)) continue;
      this.#views.delete(each);
      this.#views.set(each, view);
      return [each, view];
    }
    return undefined;
  }

  /** Several that want the same at once get one, in the turn of the first, for as long as one of them waits. */
  #make(store: NetworkStore, order: TableOrder, wanted: string, asker: Asker): Promise<[string, View]> {
    const moves = store.look(lastMove);
    const ticket = `${store.folder} ${moves} ${wanted}`;
    const making = this.#making.get(ticket);
    // What nobody has waited for may have been given up.
    if (making && !haveLeft(making.askers)) {
      making.askers.push(asker);
      return making.made;
    }
    const askers = [asker];
    const made = store
      .readLong('tableOrder', order, { ...asker, hasLeft: () => haveLeft(askers) })
      .then((bytes): [string, View] => {
        // The bytes may stand anywhere in their buffer, numbers of four bytes may not.
        const keys = new Uint32Array(new Uint8Array(bytes).buffer);
        if (keys[0] === tooLate) throw ValidationError.at(['filter'], tooLong);
        const name = `${this.#start}-${++this.#made}`;
        const view = { store, wanted, moves, keys };
        this.#views.set(name, view);
        this.#forget();
        return [name, view];
      })
      .finally(() => {
        if (this.#making.get(ticket)?.made === made) this.#making.delete(ticket);
      });
    this.#making.set(ticket, { askers, made });
    return made;
  }

  #forget(): void {
    let rows = 0;
    const kept = [...this.#views].toReversed().filter(([, { keys }], i) => {
      rows += keys.length;
      return i === 0 || (i < maxViews && rows <= maxRows);
    });
    this.#views = new Map(kept.toReversed());
  }
}

function haveLeft(askers: readonly Asker[]): boolean {
  return askers.every(({ hasLeft }) => hasLeft?.() ?? false);
}
