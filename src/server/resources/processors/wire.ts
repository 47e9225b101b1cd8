import type { CasUpdateBody, EntityId, JsonMap, RelationshipBody } from '../wire.ts';

/** What every body that registers a processor carries beside its own members. */
export interface RegisterBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label: string;
  /** @maxLength 2000 */
  description?: string;
  /** The collection to lie in. */
  collection: EntityId;
  /** Why; kept with the version. */
  note?: string;
  /** Made by the node if omitted. */
  id?: EntityId;
  properties?: JsonMap;
  relationships?: RelationshipBody[];
}

/** What every update of a processor carries beside its own members; members that are given replace what stands there. */
export interface ChangeBody extends CasUpdateBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label?: string;
  /** @maxLength 2000 */
  description?: string;
  /** `active` needs all that a job needs to know, and of an agent or klados a verified endpoint. */
  status?: 'development' | 'active' | 'disabled';
}
