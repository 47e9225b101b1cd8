import type { EntityId } from '../../wire.ts';
import type { TypeCountView } from '../tables/wire.ts';

/** What entities of a network are, and what leads from one to another. */
export interface NamesView {
  /** Types of live entities, the most common first. */
  types: TypeCountView[];
  /** Predicates that relationships have or once had, in the order of their first coming. */
  predicates: string[];
}

/** Live collections with one label, in the order in which they were made; at most 100. */
export interface NamedCollectionsView {
  ids: EntityId[];
}
