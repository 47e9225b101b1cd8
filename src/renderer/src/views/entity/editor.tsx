import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { facetsQuery } from '../collection/table-queries.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { carryOverSame, settleDraft, useDraft } from './draft.ts';
import { EntityHead } from './entity-head.tsx';
import { cardQuery, type Entity, fetchAnew } from './entity-queries.ts';
import { FilesPanel } from './files/files-panel.tsx';
import { heldFiles } from './files/held-files.ts';
import { GoneBanner } from './gone-banner.tsx';
import { type Content, contentOf, sameContent } from './model/content.ts';
import type { JsonMap } from './model/json.ts';
import { PropertiesForm } from './properties-form.tsx';
import { ReadOnly } from './read-only.tsx';
import { RelationshipsPanel } from './relationships/relationships-panel.tsx';
import { useSave } from './save.ts';
import { SaveBar } from './save-bar.tsx';
import { ThreeWayDialog } from './three-way-dialog.tsx';

interface EditorProps {
  entity: Entity;
  /** That it was deleted since (of kind `gone`); null where it was not. */
  gone: Failure | null;
}

/**
 * An entity that is edited. Nothing is saved but by hand; where somebody was quicker, both sides are shown and merged. One that was
 * deleted meanwhile is shown as it was, with what is typed into it, and is not saved before it is back.
 */
export function Editor({ entity, gone }: EditorProps) {
  const { t, dateTime } = useTexts();
  const queries = useQueryClient();
  const go = useNavigate();
  const draft = useDraft(entity);
  const save = useSave(entity.id);
  const { note } = draft;
  const [fault, setFault] = useState(false);
  // The versions that were there when each was asked for: what has come since was not looked at.
  const [deleting, setDeleting] = useState<Entity | null>(null);
  const [comparing, setComparing] = useState<Entity | null>(null);
  const [round, setRound] = useState(0);
  const { data: card } = useQuery(cardQuery);
  const collection = entity.relationships.find(({ predicate }) => predicate === 'collection')?.peer;
  const facets = useQuery({ ...facetsQuery(collection ?? '', undefined), enabled: collection !== undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads what is newest when it is called
  const change = useCallback((next: (content: Content) => Content) => draft.change(next), [entity.id, entity.cid]);
  const changeProperties = useCallback(
    (next: (old: JsonMap) => JsonMap) => change((old) => ({ ...old, properties: next(old.properties) })),
    [change],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: held is the version over which it was typed
  useEffect(() => (fault ? draft.hold() : undefined), [fault]);
  // A draft outlives the screen; what is no value yet does not.
  useUnsaved(fault);
  const service = card?.service ?? 'arke';
  // One's own save may be seen before it is answered.
  const overtaken = draft.dirty && draft.tip !== entity.cid && !save.isPending;
  useEffect(() => {
    if (overtaken) carryOverSame(entity);
  }, [overtaken, entity]);

  const onSaved = ({ ver }: Entity) => {
    setComparing(null);
    toast(t('save.saved', { ver }));
  };
  const once = useOnce();
  const send = (tip: string, base: Content, content: Content) =>
    once(() =>
      save.mutateAsync(
        { tip, base, content, note },
        {
          onSuccess: onSaved,
          onError: (error) => {
            if (error instanceof Failure && error.kind === 'conflict')
              void compare(content, base).catch(forgetWhereGone);
          },
        },
      ),
    );
  /** That it was deleted is said by itself, with the way back: to save once more would do nothing. */
  const forgetWhereGone = (failed: unknown) => {
    if (failed instanceof Failure && failed.kind === 'gone') save.reset();
  };
  /**
   * Looks at what is there now. It may be the very text: an answer that was lost, of a save that was not; or what was edited, as a
   * remote says it. Where that cannot be fetched, what the save was answered stays on the page.
   */
  const compare = async (content: Content, base: Content) => {
    const now = await fetchAnew(queries, entity.id);
    if (sameContent(contentOf(now), content)) {
      settleDraft(now, content, note);
      onSaved(now);
    } else if (sameContent(contentOf(now), base)) {
      merge(now, content);
      return;
    } else setComparing(now);
    save.reset();
  };
  const submit = () => {
    if (!draft.dirty || fault || gone || save.isPending) return;
    if (overtaken) setComparing(entity);
    else send(draft.tip, draft.base, draft.content);
  };
  const discard = () => {
    // What is under way would be saved all the same.
    if (save.isPending) return;
    draft.discard();
    save.reset();
    setRound(round + 1);
  };
  const merge = (over: Entity, merged: Content) => {
    const theirs = contentOf(over);
    draft.rebase(over, merged);
    setComparing(null);
    if (sameContent(merged, theirs)) toast(t('merge.nothingLeft', { ver: over.ver }));
    else send(over.cid, theirs, merged);
  };

  const group = t('group.entity');
  useCommands([
    { id: 'save', label: t('save.save'), group, keys: ['Mod+s'], run: submit },
    ...((draft.dirty || gone) && !save.isPending
      ? [{ id: 'discard', label: t('save.discard'), group, run: discard }]
      : []),
    {
      id: 'edit',
      label: t('entity.edit'),
      group,
      keys: ['e'],
      palette: false,
      run: () => focusFirst('#content input, #content textarea'),
    },
    {
      id: 'relate',
      label: t('entity.relate'),
      group,
      keys: ['r'],
      run: () => focusFirst('[aria-labelledby="relationships"] [role="combobox"]'),
    },
    {
      id: 'history',
      label: t('history.title'),
      group,
      keys: ['h'],
      run: () => void go({ to: '/entities/$id/history', params: { id: entity.id } }),
    },
    ...(gone
      ? []
      : [{ id: 'delete', label: t('entity.delete'), group, keys: ['Delete'], run: () => setDeleting(entity) }]),
  ]);

  return (
    <>
      <EntityHead
        entity={entity}
        title={draft.content.properties.label}
        {...(gone ? {} : { onDelete: () => setDeleting(entity) })}
      />
      {!gone && <ReadOnly id={entity.id} shows={entity.type === 'collection' ? 'collection' : 'entity'} />}
      <div className="min-h-60 flex-1 overflow-auto">
        <div className="grid grid-cols-1 items-start gap-x-8 gap-y-6 p-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <PropertiesForm
            // No other version makes another form: whoever types in it would lose the field. Discarding does.
            key={round}
            name="p"
            properties={draft.content.properties}
            before={draft.base.properties}
            // Files stand in a list of their own, whatever else `content` may be elsewhere.
            hidden={heldFiles({ type: '', properties: draft.content.properties }).length > 0 ? ['content'] : []}
            service={service}
            version={draft.tip}
            onChange={changeProperties}
            onFault={setFault}
          />
          <div className="space-y-6">
            <FilesPanel entity={entity} />
            <RelationshipsPanel
              id={entity.id}
              base={draft.base}
              content={draft.content}
              collection={collection}
              service={service}
              known={(facets.data?.relationships ?? []).map(({ name }) => name)}
              onChange={change}
              onHold={draft.hold}
            />
          </div>
        </div>
      </div>
      {(draft.dirty || gone) && (
        <SaveBar
          note={note}
          onNote={draft.dirty ? draft.annotate : null}
          onSave={submit}
          onDiscard={discard}
          busy={save.isPending}
          fault={fault}
          gone={gone !== null}
        >
          {gone && <GoneBanner id={entity.id} gone={gone} />}
          {!gone && overtaken && (
            <Notice text={t('merge.overtaken', { ver: entity.ver })}>
              <Button onClick={() => setComparing(entity)}>{t('merge.compare')}</Button>
            </Notice>
          )}
          {!draft.kept && (
            <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
              {t('save.unkept')}
            </p>
          )}
          {save.error && <Problem error={save.error} retry={submit} />}
        </SaveBar>
      )}
      {comparing && (
        <ThreeWayDialog
          // What was chosen of one version says nothing of another one.
          key={comparing.cid}
          onClose={() => setComparing(null)}
          base={draft.base}
          mine={draft.content}
          theirs={contentOf(comparing)}
          type={comparing.type}
          about={t('merge.about', { ver: comparing.ver, time: dateTime(comparing.ts) })}
          fault={fault}
          overtaken={comparing.cid !== entity.cid}
          onLook={() => setComparing(entity)}
          onMerge={(merged) => merge(comparing, merged)}
        />
      )}
      <DeleteDialog
        asked={deleting}
        newest={entity}
        gone={gone !== null}
        typed={draft.dirty}
        collection={collection}
        onClose={() => setDeleting(null)}
      />
    </>
  );
}

function focusFirst(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
