import { Link } from '@tanstack/react-router';
import { PencilLine, Undo2, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '../../../components/button.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { showsMore } from '../../../shell/focus-kept.ts';
import { keyOf, type Relationship, sameRelationship } from '../model/content.ts';
import { PeerName } from '../peer-name.tsx';

/** So many of a predicate are shown at first, and so many more each time that more are asked for. */
const first = 30;
const step = 300;

interface RelationshipGroupProps {
  predicate: string;
  members: Relationship[];
  /** What was there when editing began, and what there is now, by `keyOf`. */
  before: ReadonlyMap<string, Relationship>;
  now: ReadonlyMap<string, Relationship>;
  onTake(one: Relationship): void;
  onPut(one: Relationship): void;
  /** What it says of itself is to be edited. */
  onState(one: Relationship): void;
}

/** The relationships of one predicate; what is not saved yet is marked and can be taken back. */
export function RelationshipGroup(props: RelationshipGroupProps) {
  const { predicate, members, before, now, onTake, onPut, onState } = props;
  const { t, number } = useTexts();
  const [most, setMost] = useState(first);
  const isChanged = (one: Relationship) => !sameRelationship(before.get(keyOf(one)), one);
  const shown = useMemo(() => {
    const changed = members.slice(most).filter((one) => !sameRelationship(before.get(keyOf(one)), one));
    return [...members.slice(0, most), ...changed];
  }, [members, most, before]);
  return (
    <div>
      <h3 className="mb-1 flex items-baseline gap-2 text-xs font-medium text-quiet">
        {predicate}
        {members.length > 1 && <span className="tabular-nums">{number(members.length)}</span>}
      </h3>
      <ul className="divide-y divide-line rounded-md border border-line bg-surface">
        {shown.map((one) => {
          const gone = !now.has(keyOf(one));
          const old = before.get(keyOf(one));
          const name = one.peer_label || one.peer;
          return (
            <li
              key={keyOf(one)}
              className={`flex min-h-8 items-center gap-1 pl-2 ${isChanged(one) ? 'bg-good-soft' : ''}`}
            >
              <div className="min-w-0 flex-1 py-1">
                <Link
                  to="/entities/$id"
                  params={{ id: one.peer }}
                  className={`block truncate hover:underline ${gone ? 'text-quiet line-through' : ''}`}
                >
                  <PeerName id={one.peer} label={one.peer_label} />
                </Link>
                <Statement relationship={one} />
              </div>
              {one.peer_type && <bdi className="max-w-28 truncate text-xs text-quiet">{one.peer_type}</bdi>}
              {!gone && (
                <IconButton label={t('relationship.edit', { name })} onClick={() => onState(one)}>
                  <PencilLine size={14} aria-hidden />
                </IconButton>
              )}
              {old && (gone || isChanged(one)) ? (
                <IconButton label={t('relationship.putBack', { name })} onClick={() => onPut(old)}>
                  <Undo2 size={14} aria-hidden />
                </IconButton>
              ) : (
                <IconButton label={t('relationship.remove', { name })} onClick={() => onTake(one)}>
                  <X size={14} aria-hidden />
                </IconButton>
              )}
            </li>
          );
        })}
      </ul>
      {shown.length < members.length && (
        <Button small {...showsMore} className="mt-1" onClick={() => setMost(most + step)}>
          {members.length > most + step
            ? t('list.more')
            : t('relationship.all', { count: members.length, number: number(members.length) })}
        </Button>
      )}
    </div>
  );
}

/** What a relationship says of itself, in a line. */
function Statement({ relationship: { properties = {} } }: { relationship: Relationship }) {
  const said = Object.entries(properties).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  if (said.length === 0) return null;
  return (
    <p className="truncate text-xs text-quiet">
      <bdi>{said.join(', ').slice(0, 500)}</bdi>
    </p>
  );
}
