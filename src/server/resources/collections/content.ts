import type { Issue } from '../../errors.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { NewEntity } from '../entities/service.ts';
import type { JsonMap, RelationshipBody } from '../wire.ts';
import { membership } from './members.ts';
import { initialRoles } from './roles.ts';
import type { CreateCollectionBody } from './wire.ts';

type Described = Partial<Pick<CreateCollectionBody, 'label' | 'description' | 'display_image_url'>>;

/** The members of a body that are properties of the collection. */
export function described(body: { [K in keyof Described]: Described[K] | undefined }): JsonMap {
  const { label, description, display_image_url } = body;
  return {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(display_image_url !== undefined && { display_image_url }),
  };
}

/** What is wrong with them. */
export function describedIssues(body: { [K in keyof Described]: Described[K] | undefined }): Issue[] {
  const url = body.display_image_url;
  return [
    ...Object.entries(described(body)).flatMap(([name, text]) => jsonIssues(text, [name])),
    ...(url === undefined || URL.canParse(url) ? [] : [{ path: ['display_image_url'], message: 'must be a URI' }]),
  ];
}

/** A new collection's content: its roles, and the creator's membership behind what was given. `at` is when it is made. */
export function newCollection(body: CreateCollectionBody, creator: string, at: number): NewEntity {
  const roles = initialRoles(body);
  const { properties_remove: _, ...owner } = membership({
    ...{ role: 'owner', peer: creator, peerType: 'user', by: creator, at },
  });
  const isOwner = (r: RelationshipBody) => r.predicate === owner.predicate && r.peer === owner.peer;
  const given = body.relationships ?? [];
  const relationships = given.map((r) => (isOwner(r) ? owner : r));
  if (Object.hasOwn(roles, 'owner') && !given.some(isOwner)) relationships.push(owner);
  return {
    type: 'collection',
    properties: { ...body.properties, ...described(body), roles },
    relationships,
    ...(body.id === undefined ? {} : { id: body.id }),
    ...(body.note === undefined ? {} : { note: body.note }),
  };
}
