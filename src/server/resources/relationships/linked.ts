import type { JsonObject } from '../../model/manifest.ts';
import type { Update } from '../../model/next-version.ts';
import type { EntityRow } from '../../store/entities.ts';

export type Way = 'add' | 'remove';

/** The update that links an entity to `peers`, with copies of what these are now, or unlinks it. */
export function linked(
  way: Way,
  predicate: string,
  peers: Pick<EntityRow, 'id' | 'type' | 'label'>[],
  properties: JsonObject = {},
): Update {
  if (way === 'remove') return { relationships_remove: peers.map(({ id }) => ({ predicate, peer: id })) };
  const said = Object.keys(properties).length > 0 && { properties };
  return {
    relationships_add: peers.map(({ id, type, label }) => ({
      ...{ predicate, peer: id, peer_type: type, peer_label: label },
      ...said,
    })),
  };
}
