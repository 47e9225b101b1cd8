import { MetEntities } from '../store/imports/met-entities.ts';
import type { Draft } from './draft.ts';
import { type Beyond, beyondRemembered, remembered, saidMore } from './statements.ts';

/** What an import has met so far. `repeated`: records whose kind and id an earlier record had; they are left out. */
export interface IntakeCounts {
  records: number;
  /** Distinct entities, and distinct relationships (source, predicate, peer) of what was passed on. */
  entities: number;
  relationships: number;
  repeated: number;
}

/**
 * A place at which a source says of an entity what is not kept: it is only `mentioned` there, or `repeated` after another
 * record with its id, or the record `replaces` a mention that said more.
 */
export interface Differing {
  id: string;
  reason: 'mentioned' | 'repeated' | 'replaces';
  /** The first few properties and predicates that say it; empty where they are not known. */
  names: string[];
}

/** Of one record's drafts those that say something new, in their order, and what is not kept of it. */
export interface Sifted {
  passed: Draft[];
  differing: Differing[];
}

export interface Intake {
  sift(drafts: Draft[]): Sifted;
  counts(): IntakeCounts;
  /** Forgets what was met; the counts can still be read. */
  close(): void;
}

interface Met {
  isNew: boolean;
  reason: Differing['reason'];
  beyond: Beyond;
}

/**
 * Keeps one draft an entity over all the files of an import, the same ones whenever they are read in the same order: of
 * two records with one kind and id the first stands; a mention inside another record is passed on only before anything
 * else said of that entity; a record after a mention is passed on too (the writer lets it replace what the mention
 * made). What is left out and says something that stands nowhere is told. What is remembered of an entity lies on the disk.
 */
export function createIntake(): Intake {
  const entities = new MetEntities();
  const counts = { records: 0, entities: 0, relationships: 0, repeated: 0 };

  function meet(draft: Draft): Met {
    const { id, nested, relationships } = draft;
    const known = entities.get(id);
    if (!nested) counts.records++;
    if (known && (nested || known.mentioned === null)) {
      if (!nested) counts.repeated++;
      return { isNew: false, reason: nested ? 'mentioned' : 'repeated', beyond: beyondRemembered(known.said, draft) };
    }
    if (!known) counts.entities++;
    counts.relationships += relationships.length - (known?.mentioned ?? 0);
    entities.set(id, { mentioned: nested ? relationships.length : null, said: remembered(draft) });
    return { isNew: true, reason: 'replaces', beyond: known && saidMore(known.said, draft) ? [] : null };
  }

  function sift(drafts: Draft[]): Sifted {
    const passed: Draft[] = [];
    const differing: Differing[] = [];
    for (const draft of drafts) {
      const { isNew, reason, beyond } = meet(draft);
      if (isNew) passed.push(draft);
      const { id, beyond: inside } = draft;
      if (beyond || inside)
        differing.push({
          id,
          reason: beyond ? reason : 'mentioned',
          names: [...new Set([...(beyond ?? []), ...(inside ?? [])])],
        });
    }
    return { passed, differing };
  }

  return { sift, counts: () => ({ ...counts }), close: () => entities.close() };
}
