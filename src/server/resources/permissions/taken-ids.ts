import type { Issue } from '../../errors.ts';
import { actionFor } from '../../model/actions.ts';
import { absentKey, isAbsentCollection, membershipsOf } from '../../store/absent.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity } from '../../store/entities.ts';

export interface TakenRules {
  /** Whether the maker may write what lies in a collection that is not here. */
  mayWriteIn: (collection: string) => boolean;
  may: (action: string, entity: EntityRow) => boolean;
  /** Whether a collection or a group has a member of that id. */
  hasMember: (holder: EntityRow, id: string) => boolean;
}

/**
 * What is wrong with making an id that is not here, and to which what is here gives power: entities lie in it, or it is a
 * member. Part of an archive or of a remote brings such; whoever made it would have what belongs to others.
 */
export function takenIssues(db: Reader, id: string, { mayWriteIn, may, hasMember }: TakenRules): Issue[] {
  const key = absentKey(db, id);
  if (key === undefined || mayWriteIn(id)) return [];
  const issue = (message: string): Issue[] => [{ path: ['id'], message }];
  if (isAbsentCollection(db, key))
    return issue('is the id of a collection that is not on this node: only its operator may bring it');
  const others = membershipsOf(db, key).find((holder) => {
    const row = findEntity(db, holder);
    return row !== undefined && hasMember(row, id) && !may(changeOfMembers(row), row);
  });
  return others === undefined ? [] : issue(`is a member of ${others}, whose members you may not change`);
}

function changeOfMembers(holder: EntityRow): string {
  return holder.type === 'collection' ? 'collection:manage' : actionFor(holder.type, 'update');
}
