import { type Issue, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { beginningOf } from '../../model/cut-text.ts';
import type { Network } from '../../model/ids.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { applyAdditions, type Addition as Content } from '../../model/next-version.ts';
import { storedRelationship } from '../../model/relationships.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import {
  objectIssues,
  predicateIssues,
  refuse,
  relationshipIssues,
  textIssues,
  withPeerTypes,
} from '../entities/body.ts';
import { ofUpdate } from '../entities/issue-place.ts';
import type { EntityWrites, Permit } from '../entities/writes.ts';
import { reasonOf } from '../refusals.ts';
import type { AdditionBody } from './wire.ts';

/** One additive update as it is stored. */
export interface Addition extends Content {
  note?: string;
}

/** What the queue's listing tells of an addition when it is no longer kept. */
export interface AdditionSummary {
  relationships: number;
  first: { predicate: string; peer: string }[];
  keys: string[];
  note: string | null;
}

/** Characters of the note of a version with additions. */
export const maxNote = 500;
const maxSummary = 100;
const maxKey = 200;

/** What PUT /entities/{id} takes and an addition does not: accepted and not done, it would be lost. */
const removals = ['properties_remove', 'relationships_remove'];

/** What is wrong with the body of an addition by itself. */
export function additionIssues(body: AdditionBody, at: number, network: Network): Issue[] {
  const { properties, relationships_add: list, note } = body;
  const path = ['updates', at];
  return [
    ...removals
      .filter((name) => asksFor((body as unknown as Record<string, unknown>)[name]))
      .map((name) => ({ path: [...path, name], message: onlyAdds })),
    ...objectIssues(properties, [...path, 'properties']),
    ...relationshipIssues(list, [...path, 'relationships_add'], network),
    ...(list ?? []).flatMap((r, i) =>
      asksFor((r as unknown as Record<string, unknown>).properties_remove)
        ? [{ path: [...path, 'relationships_add', i, 'properties_remove'], message: onlyAdds }]
        : [],
    ),
    ...textIssues({ note }).map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
  ];
}

/** Not where it names nothing, as clients send it that write all members of the wire's shapes. */
function asksFor(removal: unknown): boolean {
  if (typeof removal === 'object' && removal !== null) return Object.keys(removal).length > 0;
  return removal !== undefined && removal !== null;
}

const onlyAdds = 'an additive update removes nothing; use PUT /entities/{id}';

/** A checked body, without what is none of an addition's. */
export function additionOf({ properties, relationships_add, note }: AdditionBody): Addition {
  return {
    ...(properties && { properties: properties as JsonObject }),
    ...(relationships_add && {
      relationships_add: relationships_add.map((r) =>
        storedRelationship(r as Parameters<typeof storedRelationship>[0]),
      ),
    }),
    ...(note !== undefined && { note }),
  };
}

export function summaryOf({ properties = {}, relationships_add: list = [], note }: Addition): AdditionSummary {
  return {
    relationships: list.length,
    first: list.slice(0, maxSummary).map(({ predicate, peer }) => ({ predicate, peer })),
    keys: Object.keys(properties)
      .slice(0, maxSummary)
      .map((key) => beginningOf(key, maxKey)),
    note: note ?? null,
  };
}

/** The version's note: each different one on a line, as many whole ones as fit. */
function noteOf(additions: readonly Addition[]): string | undefined {
  const notes = new Set(additions.flatMap(({ note }) => (note === undefined || note === '' ? [] : [note])));
  let text = '';
  for (const note of notes) {
    const longer = text === '' ? note : `${text}\n${note}`;
    if (longer.length > maxNote) break;
    text = longer;
  }
  return text === '' ? undefined : text;
}

/**
 * The next version of an entity with all the additions, checked as a PUT is.
 * @throws NotFoundError, ForbiddenError, ValidationError
 */
export function added(
  writes: EntityWrites,
  db: Reader,
  caller: Caller,
  id: string,
  additions: readonly Addition[],
): { base: Standing; next: Manifest; permit: Permit } {
  const base = writes.standing(db, caller.network, id, ['entity_id']);
  const stamp = writes.stamp(registered(caller), noteOf(additions));
  const typed = additions.map((one) => ({ ...one, relationships_add: withPeerTypes(db, one.relationships_add) }));
  const next = applyAdditions(base.manifest, base.cid, typed, stamp);
  const permit = writes.permit(db, caller, base, next);
  if (base.deleted) throw ValidationError.at(['entity_id'], 'the entity is deleted');
  const list = additions.flatMap(({ relationships_add }) => relationships_add ?? []);
  const locate = ofUpdate(next, { relationships_add: list });
  refuse([...permit.issues.map(locate), ...predicateIssues(next, list, ['relationships_add'])]);
  return { base, next, permit };
}

/**
 * Why each of the additions cannot be applied, null for those that can: all of them at once, and one by one where that
 * is refused. `attempt` throws; what is no refusal in the eyes of `refusal` is thrown on.
 */
export async function sift<T>(
  additions: readonly T[],
  attempt: (some: readonly T[]) => void,
  { refusal, turn }: { refusal: (error: unknown) => boolean; turn: () => Promise<unknown> },
): Promise<(string | null)[]> {
  const problem = (some: readonly T[]): string | null => {
    try {
      attempt(some);
      return null;
    } catch (error) {
      if (!refusal(error)) throw error;
      return reasonOf(error);
    }
  };
  const whole = problem(additions);
  if (whole === null || additions.length === 1) return additions.map(() => whole);
  const reasons: (string | null)[] = [];
  for (const one of additions) {
    await turn();
    reasons.push(problem([one]));
  }
  return reasons;
}
