import { ValidationError } from '../../errors.ts';
import type { Caller } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import { previewOf } from '../../model/preview.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, peerFacts } from '../../store/entities.ts';
import type { ManifestView, RelationshipBody } from '../wire.ts';
import { refuseLargeAnswer } from './answer-size.ts';
import type { EntitiesService } from './service.ts';
import type { EntityView, ExpandedRelationshipView, ExpandedView } from './wire.ts';
import type { EntityWrites } from './writes.ts';

export type ExpansionMode = 'preview' | 'full';

const modes: { [name: string]: ExpansionMode } = {
  relationships: 'preview',
  'relationships:preview': 'preview',
  'relationships:full': 'full',
};

/** Reads of entities with their peers (interface.md, GET /entities/{id}; wire-contract.md 1.6). */
export class ExpansionService {
  readonly #entities: EntitiesService;
  readonly #writes: EntityWrites;

  constructor(entities: EntitiesService, writes: EntityWrites) {
    this.#entities = entities;
    this.#writes = writes;
  }

  async read(caller: Caller, id: string, mode: ExpansionMode, limit: number): Promise<ExpandedView> {
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const standing = this.#entities.viewed(db, caller, id);
      const manifest = wireManifest(standing.cid, standing.manifest) as ExpandedView;
      const total = manifest.relationships.length;
      const peers = manifest.relationships.slice(0, limit).map(({ peer }) => peer);
      if (mode === 'full') refuseLargeAnswer(db, peers, ['expand_limit']);
      return {
        ...manifest,
        edited_by: labelled(db, manifest.edited_by),
        relationships: manifest.relationships.map((r, i) => (i < limit ? expanded(db, r, mode) : r)),
        ...(total > limit ? { _expansion_metadata: { total, expanded: limit, truncated: true } } : {}),
      };
    });
  }

  /** Some relationships of an entity with previews of their peers; `total`: how many of that predicate it has, where one is given. */
  async page(caller: Caller, id: string, { predicate, offset, limit }: RelationshipPage): Promise<ExpandedPage> {
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const { relationships } = this.#entities.viewed(db, caller, id).manifest;
      const wanted = relationships.filter((r) => predicate === undefined || r.predicate === predicate);
      const page = wanted.slice(offset, offset + limit);
      return { relationships: page.map((r) => expanded(db, r, 'preview')), total: wanted.length };
    });
  }

  /** How many relationships of others lead to an entity, by their names. */
  async incoming(caller: Caller, id: string): Promise<{ predicate: string; count: number }[]> {
    const store = await this.#writes.store(caller);
    store.read((db) => this.#entities.viewedRow(db, caller, id));
    return jsonOf(await store.readLong('incomingCounts', { id }, caller)) as { predicate: string; count: number }[];
  }
}

interface RelationshipPage {
  predicate?: string | undefined;
  offset: number;
  limit: number;
}

interface ExpandedPage {
  relationships: ExpandedRelationshipView[];
  total: number;
}

/** One relationship with its peer's current label and type, and the peer itself as the mode has it. */
function expanded(db: Reader, r: RelationshipBody, mode: ExpansionMode): ExpandedRelationshipView {
  const peer = findStanding(db, r.peer);
  if (!peer || peer.deleted) return r;
  const known = { ...r, peer_type: peer.type, peer_label: peer.label };
  return mode === 'full'
    ? { ...known, peer_entity: wireManifest(peer.cid, peer.manifest) as EntityView }
    : { ...known, peer_preview: previewOf(peer, peer.manifest.properties) };
}

/** Labels are never stored in a version (decisions.md, Identity); an expansion fills them in (wire-contract.md N25). */
function labelled(db: Reader, { user_id, on_behalf_of, ...by }: ManifestView['edited_by']): ManifestView['edited_by'] {
  const label = peerFacts(db, user_id)?.label;
  const behalf = on_behalf_of === undefined ? undefined : peerFacts(db, on_behalf_of)?.label;
  return {
    user_id,
    ...(label === undefined ? {} : { user_label: label }),
    ...by,
    ...(on_behalf_of === undefined ? {} : { on_behalf_of }),
    ...(behalf === undefined ? {} : { on_behalf_of_label: behalf }),
  };
}

/** What an `expand` asks for; null where it names nothing. @throws ValidationError */
export function expansionOf(expand: string | undefined): ExpansionMode | null {
  const parts = (expand ?? '').split(',').map((name) => name.trim());
  const named = parts.filter((name) => name !== '');
  const unknown = named.find((name) => !Object.hasOwn(modes, name));
  if (unknown !== undefined)
    throw ValidationError.at(
      ['expand'],
      `unknown expansion \`${unknown}\`; known are ${Object.keys(modes).join(', ')}`,
    );
  if (named.length === 0) return null;
  return named.some((name) => modes[name] === 'full') ? 'full' : 'preview';
}
