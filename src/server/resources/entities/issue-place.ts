import type { Issue } from '../../errors.ts';
import { type Manifest, relationshipKey } from '../../model/manifest.ts';
import type { CasUpdateBody, RelationshipBody } from '../wire.ts';

type Of<T extends string> = { [K in T]?: RelationshipBody[] | undefined };

/**
 * What is wrong with the version that an update would make, at the member of the request that brought it:
 * `["relationships", 3, "peer"]` of the version is `["relationships_add", 0, "peer"]` of the request.
 */
export function ofUpdate(next: Manifest, body: Omit<CasUpdateBody, 'expect_tip'>): (issue: Issue) => Issue {
  return (issue) => {
    const [first, i] = issue.path;
    if (first !== 'relationships') return issue;
    if (typeof i === 'number') return added(issue, next, body, 'relationships_add');
    const cause = ['relationships_remove', 'relationships_add', 'properties_remove'] as const;
    return { ...issue, path: [cause.find((name) => body[name] !== undefined) ?? first, ...issue.path.slice(1)] };
  };
}

/** The same for a creation, whose `collection` stands for a relationship. */
export function ofCreation(
  next: Manifest,
  body: { relationships?: RelationshipBody[] | undefined; collection?: string | undefined },
): (issue: Issue) => Issue {
  return (issue) => {
    const [first, i] = issue.path;
    if (first !== 'relationships' || typeof i !== 'number') return issue;
    const there = added(issue, next, body, 'relationships');
    const isShortcut = there === issue && next.relationships[i]?.peer === body.collection;
    return isShortcut ? { ...issue, path: ['collection'] } : there;
  };
}

/** The issue at the place that its relationship has in the request's list; unchanged where the list does not have it. */
function added<T extends string>(issue: Issue, next: Manifest, body: Of<T>, name: T): Issue {
  const [, i, ...rest] = issue.path;
  const wrong = next.relationships[Number(i)];
  const place = body[name]?.findLastIndex((r) => wrong && relationshipKey(r) === relationshipKey(wrong)) ?? -1;
  return place === -1 ? issue : { ...issue, path: [name, place, ...rest] };
}
