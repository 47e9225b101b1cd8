import { type Issue, type IssuePath, ValidationError } from '../../errors.ts';
import { isEntityId, type Network, networkOf } from '../../model/ids.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject, Manifest, Relationship } from '../../model/manifest.ts';
import type { Update } from '../../model/next-version.ts';
import type { Removal } from '../../model/properties.ts';
import type { RelationshipAdd } from '../../model/relationships.ts';
import { rolesOf } from '../../model/roles.ts';
import type { Reader } from '../../store/connection.ts';
import { isKnownTarget, peerFacts } from '../../store/entities.ts';
import type { CasUpdateBody, JsonMap, RelationshipBody } from '../wire.ts';
import type { CreateEntityBody } from './wire.ts';

const predicatePattern = /^[a-z][a-z0-9_]*$/;
const maxTargets = 500;

/** Throws where there is anything to say. */
export function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw new ValidationError(issues);
}

/** A free object of a body as what is stored: exact JSON, or an issue for each place that is not. */
export function objectIssues(value: JsonMap | undefined, path: IssuePath): Issue[] {
  return value === undefined ? [] : jsonIssues(value, path);
}

/** What is wrong with the text that stands beside the content. */
export function textIssues(texts: { [name: string]: string | undefined | null }): Issue[] {
  return Object.entries(texts).flatMap(([name, text]) => (text == null ? [] : jsonIssues(text, [name])));
}

/**
 * What the relationships of a body break by themselves, whatever they point at. `network`: the one that their peers must
 * be of (decisions.md, G13); null where the body repeats what was made elsewhere, which stays as it is.
 */
export function relationshipIssues(
  list: RelationshipBody[] | undefined,
  path: IssuePath,
  network: Network | null,
): Issue[] {
  return (list ?? []).flatMap((r, i) => [
    ...peerIssues(r.peer, [...path, i, 'peer'], network),
    ...textIssues({ peer_type: r.peer_type, peer_label: r.peer_label }).map((issue) => ({
      ...issue,
      path: [...path, i, ...issue.path],
    })),
    ...objectIssues(r.properties, [...path, i, 'properties']),
  ]);
}

/** What is wrong with the peer of a relationship, which may be the wildcard. */
function peerIssues(peer: string, path: IssuePath, network: Network | null): Issue[] {
  if (peer === '*') return [];
  if (!isEntityId(peer)) return [{ path, message: 'must be an entity id' }];
  return network === null || networkOf(peer) === network
    ? []
    : [{ path, message: `is not an id of the ${network} network` }];
}

/** What is wrong with what each creation's body has as such. */
export function newEntityIssues(
  { note, properties, relationships }: Pick<CreateEntityBody, 'note' | 'properties' | 'relationships'>,
  network: Network,
): Issue[] {
  return [
    ...textIssues({ note }),
    ...objectIssues(properties, ['properties']),
    ...relationshipIssues(relationships, ['relationships'], network),
  ];
}

/**
 * Predicates that do not match the pattern, which holds for all but members of a collection: their predicate is the
 * role's name, and their peer may be the wildcard (decisions.md, role names and G12). `next` is the manifest after the
 * write.
 */
export function predicateIssues(next: Manifest, list: RelationshipBody[] | undefined, path: IssuePath): Issue[] {
  const roles = next.type === 'collection' ? rolesOf(next) : new Map<string, string[]>();
  return (list ?? []).flatMap((r, i) =>
    roles.has(r.predicate)
      ? []
      : [
          ...(predicatePattern.test(r.predicate)
            ? []
            : [
                {
                  path: [...path, i, 'predicate'],
                  message: 'must begin with a small letter and have only such, digits and `_`',
                },
              ]),
          ...(r.peer === '*' ? [{ path: [...path, i, 'peer'], message: 'must be an entity id' }] : []),
        ],
  );
}

/**
 * Targets that are not here (wire-contract.md N11; decisions.md, Relationships). `self` is the entity being written, which may point at itself.
 */
export function targetIssues(
  db: Reader,
  network: Network,
  self: string,
  list: RelationshipBody[] | undefined,
  path: IssuePath,
): Issue[] {
  if (!list || list.length === 0) return [];
  const unique = new Set(list.map((r) => r.peer));
  const missing = new Set(
    [...unique].filter((id) => id !== self && id !== '*' && !(networkOf(id) === network && isKnownTarget(db, id))),
  );
  return list.flatMap((r, i) =>
    missing.has(r.peer) ? [{ path: [...path, i, 'peer'], message: `there is no entity ${r.peer}` }] : [],
  );
}

/** Whether targets are looked at; `always`: the endpoint has no parameter that says so. */
export type Validation = boolean | 'always';

/** More than 500 different targets of a request whose targets are looked at (interface.md, Conventions). */
export function tooManyTargets(
  peers: unknown[] | undefined,
  path: IssuePath,
  validate: Exclude<Validation, false> = true,
): Issue[] {
  if (new Set(peers).size <= maxTargets) return [];
  const way = validate === 'always' ? 'add them by several requests' : 'send validate_relationships=false';
  return [{ path, message: `has more than ${maxTargets} different targets; ${way}` }];
}

/** What is wrong with an update body as such: everything that can be said before the entity is read. */
export function updateIssues(body: CasUpdateBody, network: Network): Issue[] {
  return [
    ...objectIssues(body.properties, ['properties']),
    ...removalIssues(body.properties_remove, ['properties_remove']),
    ...relationshipIssues(body.relationships_add, ['relationships_add'], network),
    ...(body.relationships_add ?? []).flatMap((r, i) =>
      removalIssues(r.properties_remove, ['relationships_add', i, 'properties_remove']),
    ),
    ...textIssues({ note: body.note }),
  ];
}

function removalIssues(removal: string[] | JsonMap | undefined, path: IssuePath, depth = 0): Issue[] {
  if (removal === undefined) return [];
  if (Array.isArray(removal))
    return removal.every((key) => typeof key === 'string')
      ? []
      : [{ path, message: 'must be a list of property names' }];
  if (typeof removal !== 'object' || removal === null || depth > 100)
    return [{ path, message: 'must be a list of property names, or an object that leads to such lists' }];
  return Object.entries(removal).flatMap(([key, inner]) =>
    removalIssues(inner as string[] | JsonMap, [...path, key], depth + 1),
  );
}

/**
 * Relationships with the type of their peer, which every read shows (interface.md, Relationship item): it never changes,
 * so a copy is never stale. A peer that is not here keeps what was said of it.
 */
export function withPeerTypes<T extends RelationshipBody>(db: Reader, list: T[] | undefined): T[] | undefined {
  return list?.map((r) => {
    const peer_type = r.peer_type ?? peerFacts(db, r.peer)?.type;
    return peer_type === undefined ? r : { ...r, peer_type };
  });
}

/** A checked update body as the version model takes it. */
export function toUpdate(body: CasUpdateBody): Update {
  return {
    properties: body.properties as JsonObject | undefined,
    properties_remove: body.properties_remove as Removal | undefined,
    relationships_add: body.relationships_add as RelationshipAdd[] | undefined,
    relationships_remove: body.relationships_remove,
  };
}

/** A checked creation's relationships, with the `collection` shortcut in front where the list does not name it. */
export function createdRelationships(list: RelationshipBody[] | undefined, collection?: string): Relationship[] {
  const given = (list ?? []) as Relationship[];
  if (collection === undefined || given.some((r) => r.predicate === 'collection' && r.peer === collection))
    return given;
  return [{ predicate: 'collection', peer: collection, peer_type: 'collection' }, ...given];
}
