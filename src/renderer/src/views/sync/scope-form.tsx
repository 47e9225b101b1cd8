import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { isEntityId } from '../../api/entity-id.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Field } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { TagsField } from '../../components/tags-field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useFound } from '../../components/use-found.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { namesQuery } from '../argo/argo-queries.ts';
import { collectionsFound } from '../collections/collections-query.ts';
import { likeliest } from '../collections/likeliest.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { type Remote, remoteQuery } from './sync-queries.ts';

/** What of a remote comes here: which collections, which types, and whether the bytes of files do. */
export function ScopeForm({ remote }: { remote: Remote }) {
  const { t } = useTexts();
  const { name } = remote;
  const queries = useQueryClient();
  const form = useId();
  const [typed, setTyped] = useState<{ base: Wanted; scope: Scope } | null>(null);
  const scope = typed?.scope ?? scopeOf(remote);
  const change = (next: Partial<Scope>) => {
    const base = typed?.base ?? wantedOf(scope);
    const now = { ...scope, ...next };
    const isAsBefore = now.some === scopeOf(base).some && Object.keys(changedIn(base, wantedOf(now))).length === 0;
    setTyped(isAsBefore ? null : { base, scope: now });
  };
  const known = useQuery(namesQuery);
  const save = useMutation({
    // What was changed alone: the rest may have been set elsewhere since.
    mutationFn: ({ base, scope }: { base: Wanted; scope: Scope }) =>
      answered(api.PUT('/node/remotes/{name}', { params: { path: { name } }, body: changedIn(base, wantedOf(scope)) })),
    onSuccess: (set, sent) => {
      queries.setQueryData(remoteQuery(name).queryKey, set);
      // What was changed while it was saved is not saved yet, and stays.
      setTyped((now) => now && (now.scope === sent.scope ? null : { base: wantedOf(sent.scope), scope: now.scope }));
      toast(t('sync.scopeSaved'));
    },
  });
  const changed = typed !== null && Object.keys(changedIn(typed.base, wantedOf(scope))).length > 0;
  useUnsaved(changed);
  const incomplete = scope.some && scope.collections.length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && !incomplete && !save.isPending) save.mutate(typed);
  };
  return (
    <form id={form} onSubmit={submit} className="space-y-3" aria-labelledby={`${form}-title`}>
      <h3 id={`${form}-title`} className="font-semibold">
        {t('sync.scope')}
      </h3>
      <fieldset className="space-y-1">
        <legend className="sr-only">{t('sync.scopeCollections')}</legend>
        {[false, true].map((some) => (
          <label key={String(some)} className="flex items-center gap-2">
            <input
              type="radio"
              name={form}
              className="size-4 accent-accent"
              checked={scope.some === some}
              onChange={() => change({ some })}
            />
            {t(some ? 'sync.scopeSome' : 'sync.scopeAll')}
          </label>
        ))}
      </fieldset>
      {scope.some && <CollectionsField ids={scope.collections} onChange={(collections) => change({ collections })} />}
      <Field label={t('sync.scopeTypes')} hint={t('sync.scopeTypesAbout')}>
        {({ id }) => (
          <TagsField
            id={id}
            label={t('sync.scopeTypes')}
            values={scope.types}
            onChange={(types) => change({ types })}
            suggestions={(known.data?.types ?? []).map(({ type }) => type)}
          />
        )}
      </Field>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={scope.content === 'tips'}
          onChange={({ target }) => change({ content: target.checked ? 'tips' : 'none' })}
        />
        {t('sync.scopeFiles')}
      </label>
      <Button type="submit" disabled={!changed || incomplete || save.isPending}>
        {t('sync.scopeSave')}
      </Button>
      <p className="text-xs text-quiet">{t('sync.scopeAbout')}</p>
      {save.error && <Problem error={save.error} />}
    </form>
  );
}

type Wanted = Pick<Remote, 'collections' | 'types' | 'content'>;
/** As the form has it: `some` stays chosen while no collection is named yet. */
type Scope = Wanted & { some: boolean };

function scopeOf({ collections, types, content }: Wanted): Scope {
  return { some: collections.length > 0, collections, types, content };
}

function wantedOf({ some, collections, types, content }: Scope): Wanted {
  return { collections: some ? collections : [], types, content };
}

/** What has become another. */
function changedIn(base: Wanted, now: Wanted): Partial<Wanted> {
  const said = (list: readonly string[]) => JSON.stringify(list.toSorted());
  return {
    ...(said(base.collections) === said(now.collections) ? {} : { collections: now.collections }),
    ...(said(base.types) === said(now.types) ? {} : { types: now.types }),
    ...(base.content === now.content ? {} : { content: now.content }),
  };
}

/** Collections by their names where they are here already, else by their ids. */
function CollectionsField({ ids, onChange }: { ids: readonly string[]; onChange(ids: string[]): void }) {
  const { t, number } = useTexts();
  const [text, setText] = useState('');
  const here = useFound(text, collectionsFound);
  const part = text.trim();
  const typed = isEntityId(part) && !ids.includes(part) ? [{ id: part, label: part }] : [];
  useUnsaved(typed.length > 0);
  const add = (id: string) => {
    setText('');
    onChange([...ids, id]);
  };
  const taken = new Set(ids);
  const found = here.data?.collections ?? [];
  const options = found.filter(({ id }) => !taken.has(id)).map(({ id, label }) => ({ id, label: label || id }));
  const left = (here.data?.total ?? 0) - found.length;
  return (
    <div className="space-y-1.5">
      <ul aria-label={t('sync.scopeCollections')} className="space-y-1">
        {ids.map((id) => (
          <li key={id} className="flex items-center gap-2 rounded-md bg-sunken pl-2">
            <span className="min-w-0 flex-1 truncate">
              <PeerName id={id} />
            </span>
            <IconButton
              small
              label={t('tags.remove', { name: id })}
              onClick={() => onChange(ids.filter((one) => one !== id))}
            >
              <X size={13} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <Combobox
        label={t('sync.scopeAdd')}
        placeholder={t('sync.scopeAdd')}
        text={text}
        onText={setText}
        options={typed.length > 0 ? typed : options}
        keyOf={({ id }) => id}
        show={({ label }) => <bdi>{label}</bdi>}
        below={typed.length === 0 && left > 0 ? t('list.andMore', { number: number(left) }) : undefined}
        waits={here.waits}
        likeliest={likeliest(options, text)}
        note={t(here.error ? 'peer.notFound' : here.waits ? 'state.waiting' : 'sync.scopeIdAbout')}
        onChoose={({ id }) => add(id)}
        // An id stands for itself; of a name it is not known yet which one is meant.
        onLeave={() => typed.length > 0 && add(part)}
      />
    </div>
  );
}
