import type { Draft } from './draft.ts';

/** What an import has met so far. `repeated`: records whose kind and id an earlier record had; they are left out. */
export interface IntakeCounts {
  records: number;
  /** Distinct entities, and distinct relationships (source, predicate, peer) of what was passed on. */
  entities: number;
  relationships: number;
  repeated: number;
}

export interface Intake {
  /** Of one record's drafts those that say something new, in their order. */
  take(drafts: Draft[]): Draft[];
  counts(): IntakeCounts;
}

/**
 * Keeps one draft an entity over all the files of an import, the same ones whenever they are read in the same order: of
 * two records with one kind and id the first stands; a mention inside another record is passed on only before anything
 * else said of that entity; a record after a mention is passed on too (the writer lets it replace what the mention
 * made). Remembers about 100 bytes an entity.
 */
export function createIntake(): Intake {
  /** The number of relationships that each mentioned entity came with. */
  const mentioned = new Map<string, number>();
  const full = new Set<string>();
  const counts = { records: 0, relationships: 0, repeated: 0 };

  function isNew(draft: Draft): boolean {
    const { id, relationships } = draft;
    if (draft.nested) {
      if (full.has(id) || mentioned.has(id)) return false;
      mentioned.set(id, relationships.length);
    } else {
      counts.records++;
      if (full.has(id)) {
        counts.repeated++;
        return false;
      }
      counts.relationships -= mentioned.get(id) ?? 0;
      mentioned.delete(id);
      full.add(id);
    }
    counts.relationships += relationships.length;
    return true;
  }

  return {
    take: (drafts) => drafts.filter(isNew),
    counts: () => ({ ...counts, entities: mentioned.size + full.size }),
  };
}
