import { useEffect, useId, useMemo, useState } from 'react';
import { Input } from '../../../components/field.tsx';
import { toast } from '../../../components/toasts.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { byKey, type Content, keyOf, type Relationship, withRelationship } from '../model/content.ts';
import type { JsonMap } from '../model/json.ts';
import { Incoming } from './incoming.tsx';
import { PeerPicker } from './peer-picker.tsx';
import { RelationshipGroup } from './relationship-group.tsx';
import { StatementDialog } from './statement-dialog.tsx';

interface RelationshipsPanelProps {
  id: string;
  base: Content;
  content: Content;
  /** With what editing began, where that is not `base`. */
  begun?: Content;
  collection: string | undefined;
  /** The service's name in inline references. */
  service: string;
  /** Predicates that entities of the collection have. */
  known: readonly string[];
  onChange(change: (content: Content) => Content): void;
  /** Lets the version stay that is edited, until what it gives is called; omitted where no other one comes. */
  onHold?(): () => void;
}

const valid = /^[a-z][a-z0-9_]{0,49}$/;

/** To what the entity leads, by predicate. What is added or taken away is saved with everything else. */
export function RelationshipsPanel({
  id,
  base,
  content,
  begun = base,
  collection,
  service,
  known,
  onChange,
  onHold,
}: RelationshipsPanelProps) {
  const { t } = useTexts();
  // Not anew for each letter that is typed into a property: there may be tens of thousands.
  const before = useMemo(() => byKey(base.relationships), [base.relationships]);
  const now = useMemo(() => byKey(content.relationships), [content.relationships]);
  const [added, setAdded] = useState<Relationship>();
  const isWaiting = added !== undefined && now.has(keyOf(added)) && !before.has(keyOf(added));
  const [stated, setStated] = useState<Relationship | null>(null);
  const isStating = stated !== null;
  // What is stated is of the version that is shown now, whatever somebody else saves before it is taken over.
  // biome-ignore lint/correctness/useExhaustiveDependencies: held is the version in which it was opened
  useEffect(() => (isStating ? onHold?.() : undefined), [isStating]);
  const groups = useMemo(() => {
    // What was taken away stays in its place until it is saved, so that it can be put back.
    const kept = base.relationships.map((one) => now.get(keyOf(one)) ?? one);
    const all = [...kept, ...content.relationships.filter((one) => !before.has(keyOf(one)))];
    return [...Map.groupBy(all, ({ predicate }) => predicate)];
  }, [base.relationships, content.relationships, before, now]);
  const put = (one: Relationship) => {
    // In another place the first collection may be another one, which decides who may do what.
    const { relationships } = begun.relationships.some((other) => keyOf(other) === keyOf(one)) ? begun : base;
    onChange((old) => ({ ...old, relationships: withRelationship(old.relationships, one, relationships) }));
  };
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
        added={isWaiting ? added : undefined}
        // What is there already keeps what it says of itself, also where it was taken away and is not saved yet.
        onAdd={(one) => {
          const there = now.get(keyOf(one));
          if (there) toast(t('relationship.there', { predicate: one.predicate, name: one.peer_label ?? one.peer }));
          else put(before.get(keyOf(one)) ?? one);
          setAdded(one);
        }}
      />
      {groups.length === 0 && <p className="text-quiet">{t('relationship.none')}</p>}
      {groups.map(([predicate, members]) => (
        <RelationshipGroup
          key={predicate}
          predicate={predicate}
          members={members}
          before={before}
          now={now}
          onTake={take}
          onPut={put}
          onState={setStated}
        />
      ))}
      <Incoming id={id} />
      {stated && (
        <StatementDialog
          relationship={stated}
          service={service}
          onTake={(properties) => put(stating(stated, properties))}
          onClose={() => setStated(null)}
        />
      )}
    </section>
  );
}

function stating({ properties: _, ...one }: Relationship, properties: JsonMap): Relationship {
  return Object.keys(properties).length > 0 ? { ...one, properties } : one;
}

function AddRelationship({
  collection,
  known,
  added,
  onAdd,
}: {
  collection: string | undefined;
  known: string[];
  /** The last one that is not saved yet: it may stand out of sight. */
  added: Relationship | undefined;
  onAdd(one: Relationship): void;
}) {
  const { t } = useTexts();
  const list = useId();
  const [predicate, setPredicate] = useState('');
  const wrong = predicate !== '' && !valid.test(predicate);
  return (
    <div className="space-y-1 print:hidden">
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
          predicate={predicate}
          onChoose={({ id, type, label }) => {
            // Its fault is told below, and nothing else is made of it.
            if (!wrong)
              onAdd({
                predicate: predicate || 'related_to',
                peer: id,
                peer_type: type,
                ...(label ? { peer_label: label } : {}),
              });
          }}
        />
      </div>
      <p className={`text-xs ${wrong ? 'text-danger' : 'text-quiet'}`}>
        {t(wrong ? 'relationship.wrongPredicate' : 'relationship.addAbout')}
      </p>
      <p role="status" className="text-xs break-words">
        {added && t('relationship.added', { predicate: added.predicate, name: added.peer_label ?? added.peer })}
      </p>
    </div>
  );
}
