import { ValidationError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding } from '../../store/entities.ts';
import type { ManifestView, PreviewView, RelationshipBody } from '../wire.ts';
import { previewOf } from './preview.ts';
import type { EntitiesService } from './service.ts';
import type { EntityWrites } from './writes.ts';

export type ExpansionMode = 'preview' | 'full';

/** A relationship with what is at its other end; without it where the peer is deleted, unknown or unreadable. */
export interface ExpandedRelationship extends RelationshipBody {
  peer_preview?: PreviewView;
  peer_entity?: ManifestView;
}

/** decisions.md, G6. */
export interface ExpandedManifest extends ManifestView {
  relationships: ExpandedRelationship[];
  _expansion_metadata?: { total: number; expanded: number; truncated: boolean };
}

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

  async read(caller: Caller, id: string, expand: string, limit: number): Promise<ExpandedManifest> {
    const mode = modeOf(expand);
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const standing = this.#entities.viewed(db, caller, id);
      const manifest = wireManifest(standing.cid, standing.manifest) as ExpandedManifest;
      const editor = findStanding(db, manifest.edited_by.user_id);
      const total = manifest.relationships.length;
      return {
        ...manifest,
        edited_by: { ...manifest.edited_by, ...(editor && !editor.deleted ? { user_label: editor.label } : {}) },
        relationships: manifest.relationships.map((r, i) => (i < limit ? this.expanded(db, caller, r, mode) : r)),
        ...(total > limit ? { _expansion_metadata: { total, expanded: limit, truncated: true } } : {}),
      };
    });
  }

  /** One relationship with its peer's current label and type, and the peer itself as the mode has it. */
  expanded(db: Reader, caller: Caller, r: RelationshipBody, mode: ExpansionMode): ExpandedRelationship {
    const peer = findStanding(db, r.peer);
    if (!peer || peer.deleted) return r;
    if (!this.#writes.env.permissions.may(db, accepted(caller), 'entity:view', peer)) return r;
    const known = { ...r, peer_type: peer.type, peer_label: peer.label };
    return mode === 'full'
      ? { ...known, peer_entity: wireManifest(peer.cid, peer.manifest) as ManifestView }
      : { ...known, peer_preview: previewOf(peer, peer.manifest.properties) };
  }
}

function modeOf(expand: string): ExpansionMode {
  const named = expand.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !Object.hasOwn(modes, name));
  if (unknown !== undefined)
    throw ValidationError.at(
      ['expand'],
      `unknown expansion \`${unknown}\`; known are ${Object.keys(modes).join(', ')}`,
    );
  return named.some((name) => modes[name] === 'full') ? 'full' : 'preview';
}
