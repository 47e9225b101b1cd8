import { type Block, encodeHistoric } from '../../src/server/blocks/encode.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { SampleState } from './sample-archive.ts';

const link = { predicate: 'about', peer: derivedId('main', 'odd peer') };
const related = (members: JsonObject): JsonObject => ({ relationships: [{ ...link, ...members }] });
/** No program's own value: its text cannot be made. */
const mute = { toString: 5, valueOf: 5 };

/** Members that versions of other programs may have in place of those that a node writes; `undefined`: it has none. */
export const oddMembers: { [name: string]: { [member: string]: JsonObject[string] | undefined } } = {
  'no author': { edited_by: undefined },
  'an author of null': { edited_by: null },
  'an author that is text': { edited_by: 'Ada' },
  'an author that is a list': { edited_by: ['Ada'] },
  'an author without members': { edited_by: {} },
  'an author whose id is a number': { edited_by: { user_id: 5, method: 'manual' } },
  'an author whose members are maps': {
    edited_by: { user_id: mute, method: mute, on_behalf_of: mute, user_label: mute },
  },
  'an unknown method': { edited_by: { user_id: derivedId('main', 'ada'), method: 'dictated' } },
  'a method of every object': { edited_by: { user_id: derivedId('main', 'ada'), method: 'constructor' } },
  'a note that is a number': { note: 5 },
  'a note that is a map': { note: mute },
  'a note of null': { note: null },
  'a reason that is a map': { reason: mute },
  'a time that is none': { ts: 'x', created_at: 'x' },
  'no schema': { schema: undefined },
  'a schema that is a number': { schema: 5 },
  'a deletion of null': { deleted: null },
  'a deletion that is false': { deleted: false },
  'a deletion that is text': { deleted: 'no' },
  'a deletion that is a map': { deleted: mute },
  'a label of a peer that is a map': related({ peer_label: mute }),
  'a label of a peer that is a number': related({ peer_label: 5 }),
  'a type of a peer that is a map': related({ peer_type: mute }),
  'a statement of null': related({ properties: null }),
  'a statement that is text': related({ properties: 'text' }),
  'a statement that is a list': related({ properties: [1] }),
  'all of them': {
    ...{ edited_by: { user_id: mute, method: mute }, note: mute, reason: mute, ts: 'x', created_at: 'x', schema: 5 },
    ...related({ peer_label: mute, peer_type: mute, properties: null }),
  },
};

export const oddCollection = derivedId('main', 'odd collection');
export const oddPeer = link.peer;

export interface OddEntity {
  name: string;
  id: string;
  label: string;
  /** Oldest first; of a deleted one the last is the tombstone. */
  chain: Block[];
}

/** What another program wrote: a collection, and in it for each odd member an entity of two versions, alive or deleted. */
export function oddEntities(kind: 'live' | 'deleted'): OddEntity[] {
  return Object.entries(oddMembers).map(([name, odd]) => {
    const id = derivedId('main', `${kind}: ${name}`);
    const label = `has ${name}, ${kind}`;
    const first = versionOf(id, odd, { label, n: 1 });
    const chain = [first, versionOf(id, odd, kind === 'live' ? { label, n: 2 } : null, { ver: 2, prev: first.cid })];
    return { name, id, label, chain };
  });
}

/** A version with odd members; a tombstone without `properties`. */
export function versionOf(
  id: string,
  { relationships, ...odd }: (typeof oddMembers)[string],
  properties: JsonObject | null,
  { ver = 1, prev = null as string | null, type = 'letter' } = {},
): Block {
  const collection = { predicate: 'collection', peer: oddCollection, peer_type: 'collection' };
  const content = properties
    ? { properties, relationships: [collection, ...((relationships as JsonObject[] | undefined) ?? [])] }
    : { deleted: true };
  const members: typeof odd = {
    ...{ schema: 'arke/eidos@v1', id, type, created_at: '2026-01-01T00:00:00.000Z', ts: '2026-01-02T00:00:00.000Z' },
    ...{ ver, prev: prev === null ? null : { '/': prev } },
    ...{ edited_by: { user_id: derivedId('main', 'ada'), method: 'manual' }, ...content, ...odd },
  };
  return encodeHistoric(
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject,
  );
}

/** A CAR of these entities, their collection and the peer that they name. */
export function oddArchive(entities: Pick<OddEntity, 'id' | 'chain'>[]): Promise<Buffer> {
  const state = new SampleState();
  const collection = versionOf(oddCollection, {}, { label: 'Odd ones' }, { type: 'collection' });
  state.chains.set(oddCollection, [collection]);
  state.chains.set(oddPeer, [versionOf(oddPeer, {}, { label: 'The peer' })]);
  for (const { id, chain } of entities) state.chains.set(id, chain);
  return state.export();
}
