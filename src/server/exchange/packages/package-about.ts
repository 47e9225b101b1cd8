import type { Scope } from '../../blocks/archive-tree.ts';
import { fromJson } from '../../model/from-json.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { storedJson } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';

/** What a package says of itself. */
export interface PackageAbout {
  /** The name of its folder: letters, digits and `-`. */
  name: string;
  /** The label of the collection or entity. */
  title: string;
  description: string | null;
  /** The id of the collection or entity; null for a whole network. */
  id: string | null;
  /** The license that the collection or entity names, as a text or an address. */
  license: string | null;
  /** ISO 8601 with milliseconds. */
  time: string;
  /** The program and its version. */
  software: string;
}

/** What the collection or entity of a scope says of itself. */
export function packageAbout(
  store: NetworkStore,
  scope: Scope,
  facts: Pick<PackageAbout, 'time' | 'software'>,
): PackageAbout {
  if (scope.kind === 'all') {
    const title = `All entities of the network ${store.network}`;
    return { name: `archeion-${store.network}`, title, description: null, id: null, license: null, ...facts };
  }
  if (scope.kind === 'selection') {
    const title = `A selection of ${scope.ids.length} entities`;
    return { name: 'archeion-selection', title, description: null, id: null, license: null, ...facts };
  }
  const { id } = scope;
  const json = store.read((db) => storedJson(db, id));
  const properties: JsonObject = json === null ? {} : (fromJson(json) as Manifest).properties;
  const text = (name: string): string | null => {
    const value = properties[name];
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  };
  const title = text('label') ?? text('filename') ?? text('name') ?? id;
  return { name: `archeion-${id}`, title, description: text('description'), id, license: text('license'), ...facts };
}
