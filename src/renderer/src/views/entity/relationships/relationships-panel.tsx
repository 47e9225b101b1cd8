import { Link } from '@tanstack/react-router';
import { Undo2, X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button, IconButton } from '../../../components/button.tsx';
import { Input } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { byKey, type Content, keyOf, type Relationship } from '../model/content.ts';
import { PeerName } from '../peer-name.tsx';
import { Incoming } from './incoming.tsx';
import { PeerPicker } from './peer-picker.tsx';

interface RelationshipsPanelProps {
  id: string;
  base: Content;
  content: Content;
  collection: string | undefined;
  /** Predicates that entities of the collection have. */
  known: readonly string[];
  onChange(change: (content: Content) => Content): void;
}

const valid = /^[a-z][a-z0-9_]{0,49}$/;

/** To what the entity leads, by predicate. What is added or taken away is saved with everything else. */
export function RelationshipsPanel({ id, base, content, collection, known, onChange }: RelationshipsPanelProps) {
  const { t } = useTexts();
  const before = byKey(base.relationships);
  const now = byKey(content.relationships);
  // What was taken away stays in its place until it is saved, so that it can be put back.
  const all = [...base.relationships, ...content.relationships.filter((one) => !before.has(keyOf(one)))];
  const groups = [...Map.groupBy(all, ({ predicate }) => predicate)];
  const put = (one: Relationship) =>
    onChange((old) => ({ ...old, relationships: [...old.relationships.filter((r) => keyOf(r) !== keyOf(one)), one] }));
  const take = (one: Relationship) =>
    onChange((old) => ({ ...old, relationships: old.relationships.filter((r) => keyOf(r) !== keyOf(one)) }));
  return (
    <section aria-labelledby="relationships" className="space-y-4">
      <h2 id="relationships" className="text-base font-semibold">
        {t('entity.relationships')}
      </h2>
      <AddRelationship
        collection={collection}
        known={[...new Set([...groups.map(([predicate]) => predicate), ...known])]}
        onAdd={put}
      />
      {groups.length === 0 && <p className="text-quiet">{t('relationship.none')}</p>}
      {groups.map(([predicate, members]) => (
        <Group
          key={predicate}
          predicate={predicate}
          members={members}
          isNew={(one) => !before.has(keyOf(one))}
          isGone={(one) => !now.has(keyOf(one))}
          onTake={take}
          onPut={put}
        />
      ))}
      <Incoming id={id} />
    </section>
  );
}

/** So many of a predicate are shown at first. */
const first = 30;

function Group({
  predicate,
  members,
  isNew,
  isGone,
  onTake,
  onPut,
}: {
  predicate: string;
  members: Relationship[];
  isNew(one: Relationship): boolean;
  isGone(one: Relationship): boolean;
  onTake(one: Relationship): void;
  onPut(one: Relationship): void;
}) {
  const { t, number } = useTexts();
  const [all, setAll] = useState(false);
  const shown = all ? members : [...members.slice(0, first), ...members.slice(first).filter(isNew)];
  return (
    <div>
      <h3 className="mb-1 flex items-baseline gap-2 text-xs font-medium text-quiet">
        {predicate}
        {members.length > 1 && <span className="tabular-nums">{number(members.length)}</span>}
      </h3>
      <ul className="divide-y divide-line rounded-md border border-line bg-surface">
        {shown.map((one) => {
          const gone = isGone(one);
          const name = one.peer_label || one.peer;
          return (
            <li key={keyOf(one)} className={`flex min-h-8 items-center gap-2 pl-2 ${isNew(one) ? 'bg-good-soft' : ''}`}>
              <div className="min-w-0 flex-1 py-1">
                <Link
                  to="/entities/$id"
                  params={{ id: one.peer }}
                  className={`block truncate hover:underline ${gone ? 'text-quiet line-through' : ''}`}
                >
                  <PeerName id={one.peer} label={one.peer_label} />
                </Link>
                {one.properties && Object.keys(one.properties).length > 0 && (
                  <p className="truncate text-xs text-quiet">
                    <bdi>
                      {Object.entries(one.properties)
                        .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
                        .join(', ')}
                    </bdi>
                  </p>
                )}
              </div>
              {one.peer_type && <bdi className="max-w-28 truncate text-xs text-quiet">{one.peer_type}</bdi>}
              {gone ? (
                <IconButton label={t('relationship.putBack', { name })} onClick={() => onPut(one)}>
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
        <Button small className="mt-1" onClick={() => setAll(true)}>
          {t('relationship.all', { count: members.length, number: number(members.length) })}
        </Button>
      )}
    </div>
  );
}

function AddRelationship({
  collection,
  known,
  onAdd,
}: {
  collection: string | undefined;
  known: string[];
  onAdd(one: Relationship): void;
}) {
  const { t } = useTexts();
  const list = useId();
  const [predicate, setPredicate] = useState('');
  const wrong = predicate !== '' && !valid.test(predicate);
  return (
    <div className="space-y-1">
      <div className="grid grid-cols-[9rem_minmax(0,1fr)] gap-2">
        <Input
          aria-label={t('relationship.predicate')}
          placeholder={t('relationship.predicate')}
          list={list}
          value={predicate}
          aria-invalid={wrong || undefined}
          onChange={({ target }) => setPredicate(target.value)}
        />
        <datalist id={list}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <PeerPicker
          label={t('relationship.peer')}
          collection={collection}
          onChoose={({ id, type, label }) => {
            const name = valid.test(predicate) ? predicate : 'related_to';
            onAdd({ predicate: name, peer: id, peer_type: type, ...(label ? { peer_label: label } : {}) });
          }}
        />
      </div>
      <p className={`text-xs ${wrong ? 'text-danger' : 'text-quiet'}`}>
        {t(wrong ? 'relationship.wrongPredicate' : 'relationship.addAbout')}
      </p>
    </div>
  );
}
