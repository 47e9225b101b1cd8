import type { Network } from '../../model/ids.ts';
import { RecentMap } from '../../model/recent-map.ts';
import { findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Networks } from '../../store/networks.ts';
import { versionByKey } from '../../store/versions.ts';

/**
 * Whether processors may act at all: the keys of one that is deleted or disabled are good for nothing, whatever door
 * that came through (decisions.md, Identity and authorship).
 */
export class ProcessorStanding {
  readonly #networks: Pick<Networks, 'get'>;
  /** By the tip's block, which never changes. */
  readonly #disabled: RecentMap<string, boolean>;

  constructor(networks: Pick<Networks, 'get'>) {
    this.#networks = networks;
    this.#disabled = new RecentMap(10_000);
  }

  /** At once where the network is open already. */
  isOut({ id, network }: { id: string; network: Network }): boolean | Promise<boolean> {
    const store = this.#networks.get(network);
    return store instanceof Promise ? store.then((opened) => this.#look(opened, id)) : this.#look(store, id);
  }

  #look(store: NetworkStore, id: string): boolean {
    return store.look((db) => {
      const row = findEntity(db, id);
      if (!row) return false;
      const key = `${store.network} ${row.tip}`;
      const known = this.#disabled.get(key);
      if (row.deleted || known !== undefined) return row.deleted || known === true;
      const disabled = versionByKey(db, row.tip)?.manifest.properties.status === 'disabled';
      this.#disabled.set(key, disabled);
      return disabled;
    });
  }
}
