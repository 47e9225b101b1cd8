import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { useInstead } from '../../components/loss-dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { cardQuery } from '../entity/entity-queries.ts';
import { type Content, contentOf, sameContent } from '../entity/model/content.ts';
import { mergeThreeWay, type Side } from '../entity/model/three-way.ts';
import { PropertiesForm } from '../entity/properties-form.tsx';
import { RelationshipsPanel } from '../entity/relationships/relationships-panel.tsx';
import { placeName, ThreeWayTable } from '../entity/three-way-table.tsx';
import { useShownDifferences } from '../entity/use-shown-differences.ts';
import { type Decision, useDecide } from './decide.ts';
import { DeletionChoice } from './deletion-choice.tsx';
import { SideFacts } from './side-facts.tsx';
import { SyncHead } from './sync-head.tsx';
import { conflictsQuery, isArchive, type OpenConflict } from './sync-queries.ts';

/** Base, ours and theirs, place by place; all at once, or by hand; with a note; then the next conflict. */
export function ConflictEditor({
  conflict: given,
  gone,
  again,
}: {
  conflict: OpenConflict;
  /** Whether it was decided elsewhere meanwhile. */
  gone: boolean;
  again(): Promise<OpenConflict | undefined>;
}) {
  const { t, number } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  // What somebody decides about stays as they looked at it; `again` shows it anew.
  const [conflict, setConflict] = useState(given);
  const { remote, id, sides, label } = conflict;
  const [choices, setChoices] = useState<Record<string, Side>>({});
  // Where no place can be chosen, since what cannot stand together are links of several entities: all of a side.
  const [whole, setWhole] = useState<'ours' | 'theirs' | null>(null);
  const [byHand, setByHand] = useState<{ begun: Content; now: Content } | null>(null);
  const [fault, setFault] = useState(false);
  const [note, setNote] = useState('');
  const { data: card } = useQuery(cardQuery);
  const { data: list } = useQuery(conflictsQuery);
  const decide = useDecide(conflict);
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.focus(), []);

  const deletion = sides.ours.deleted !== sides.theirs.deleted;
  const [base, mine, theirs] = useMemo(
    () => [sides.base && contentOf(sides.base), contentOf(sides.ours), contentOf(sides.theirs)],
    [sides],
  );
  const { merged, differences } = useMemo(
    () => mergeThreeWay(base, mine, theirs, (path) => choices[placeName(path)] ?? 'mine', conflict.type),
    [base, mine, theirs, choices, conflict.type],
  );
  const { shown, unseen, showMore } = useShownDifferences(differences, choices);
  const clashes = differences.filter(({ clash }) => clash);
  const entries = list?.conflicts ?? [];
  const position = entries.findIndex((one) => one.id === id && one.remote === remote);
  const nextOf = (all: typeof entries) => {
    const others = all.filter((one) => one.id !== id || one.remote !== remote);
    return others[Math.max(0, position)] ?? others[0];
  };
  const next = nextOf(entries);
  const moved = given.sides.ours.cid !== sides.ours.cid || given.sides.theirs.cid !== sides.theirs.cid;

  const typed = byHand !== null && (fault || !sameContent(byHand.begun, byHand.now));
  // By hand, or place by place: it goes when the screen is left.
  useUnsaved(!decide.isSuccess && (typed || note.trim() !== '' || whole !== null || Object.keys(choices).length > 0));
  const { instead, question } = useInstead(typed ? 'typed' : null);
  const all = (side: Side) =>
    instead(() => {
      if (deletion) return setChoices({ deleted: side });
      setByHand(null);
      setWhole(clashes.length > 0 ? null : side === 'mine' ? 'ours' : 'theirs');
      setChoices(Object.fromEntries(clashes.map(({ path }) => [placeName(path), side])));
    });
  const toggleByHand = () =>
    instead(() => {
      setWhole(null);
      setByHand(byHand ? null : { begun: merged, now: merged });
    });
  const change = (next: (now: Content) => Content) => setByHand((old) => old && { ...old, now: next(old.now) });
  const onward = async (goes: boolean) => {
    toast(t(goes && !isArchive(remote) ? 'sync.decidedRemote' : 'sync.decided', { remote }));
    // It may have come only since, or others be decided elsewhere by now.
    const after = nextOf(queries.getQueryData(conflictsQuery.queryKey)?.conflicts ?? []);
    if (after)
      await go({
        to: '/sync/conflicts/$remote/$id',
        params: { remote: after.remote, id: after.id },
        ignoreBlocker: true,
      });
    else await go({ to: '/sync/conflicts', ignoreBlocker: true });
    queries.removeQueries({ queryKey: ['sync', 'conflict', remote, id] });
  };
  const wasMissing = decide.error instanceof Failure && decide.error.kind === 'missing';
  // One's own decision takes it away, too; where it was missing there may be another one by now.
  const isGone = !decide.isSuccess && (gone || (wasMissing && !moved));
  const once = useOnce();
  const submit = () => {
    if (fault || isGone) return;
    const decision: Decision = deletion
      ? { side: choices.deleted === 'theirs' ? 'theirs' : 'ours' }
      : whole
        ? { side: whole }
        : { content: byHand?.now ?? merged };
    // What is as it is there already is not sent.
    const isTheirs = 'side' in decision ? decision.side === 'theirs' : sameContent(decision.content, theirs);
    const onSuccess = () => void onward(!isTheirs || note.trim() !== '');
    once(() => decide.mutateAsync({ decision, note }, { onSuccess }));
  };
  const overtaken = decide.error instanceof Failure && decide.error.kind === 'conflict';
  const lookAgain = async () => {
    const now = await again();
    decide.reset();
    setByHand(null);
    setWhole(null);
    setChoices({});
    setConflict(now ?? given);
  };

  const group = t('sync.conflict');
  useCommands([
    { id: 'decide', label: t('sync.decideThis'), group, keys: ['Mod+Enter', 'Mod+s'], run: () => submit() },
    { id: 'all-ours', label: t('sync.allOurs'), group, keys: ['o'], run: () => all('mine') },
    { id: 'all-theirs', label: t('sync.allTheirs'), group, keys: ['t'], run: () => all('theirs') },
    ...(deletion
      ? []
      : [
          {
            id: 'by-hand',
            label: t(byHand ? 'sync.byPlace' : 'sync.byHand'),
            group,
            keys: ['e'],
            run: toggleByHand,
          },
        ]),
    ...(next
      ? [
          {
            id: 'skip',
            label: t('sync.skip'),
            group,
            keys: ['n'],
            run: () => void go({ to: '/sync/conflicts/$remote/$id', params: { remote: next.remote, id: next.id } }),
          },
        ]
      : []),
  ]);

  return (
    <>
      <SyncHead
        title={label?.slice(0, 300) || t('entity.noLabel')}
        above={
          <Link to="/sync/conflicts" className="hover:underline">
            {t('sync.conflicts')}
            {position >= 0 &&
              entries.length > 1 &&
              ` · ${t('sync.ofAll', { at: number(position + 1), all: number(entries.length) })}`}
          </Link>
        }
        about={
          <span className="flex flex-wrap gap-x-3">
            <span>{t(aboutOf(remote, base !== null), { remote })}</span>
            <Link to="/entities/$id" params={{ id }} className="text-accent underline">
              {t('sync.openEntity')}
            </Link>
          </span>
        }
      />
      <div ref={head} tabIndex={-1} className="min-h-60 flex-1 space-y-4 overflow-auto p-5 outline-none">
        {isGone && (
          <Notice text={t('sync.conflictGone')}>
            <Link to="/sync/conflicts" className={buttonClasses()}>
              {t('sync.toConflicts')}
            </Link>
          </Notice>
        )}
        {!isGone && (overtaken || moved) && (
          <Notice text={t('sync.moved')}>
            <Button onClick={() => instead(() => void lookAgain())}>{t('sync.lookAgain')}</Button>
          </Notice>
        )}
        <SideFacts conflict={conflict} />
        {sides.ours.type !== sides.theirs.type && (
          <p role="note" className="rounded-md bg-warning-soft px-3 py-2 [overflow-wrap:anywhere]">
            {t('sync.typesDiffer', { type: isArchive(remote) ? sides.ours.type : sides.theirs.type })}
          </p>
        )}
        {deletion ? (
          <DeletionChoice
            sides={sides}
            choice={choices.deleted ?? 'mine'}
            onChoose={(side) => setChoices({ deleted: side })}
          />
        ) : (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <p className="min-w-48 flex-1">
                {byHand
                  ? t('sync.byHandAbout')
                  : whole
                    ? t(whole === 'ours' ? 'sync.wholeOurs' : 'sync.wholeTheirs')
                    : t(clashes.length === 0 ? 'merge.noClash' : base ? 'merge.clashes' : 'merge.differ', {
                        count: clashes.length,
                      })}
              </p>
              <Button aria-pressed={whole === 'ours'} onClick={() => all('mine')}>
                {t('sync.allOurs')}
                <KeyCaps keys="o" />
              </Button>
              <Button aria-pressed={whole === 'theirs'} onClick={() => all('theirs')}>
                {t('sync.allTheirs')}
                <KeyCaps keys="t" />
              </Button>
              <Button aria-pressed={byHand !== null} onClick={toggleByHand}>
                {t(byHand ? 'sync.byPlace' : 'sync.byHand')}
                <KeyCaps keys="e" />
              </Button>
            </div>
            {byHand ? (
              <div className="grid grid-cols-1 items-start gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
                <PropertiesForm
                  name="p"
                  properties={byHand.now.properties}
                  before={(base ?? theirs).properties}
                  service={card?.service ?? 'arke'}
                  onChange={(next) => change((now) => ({ ...now, properties: next(now.properties) }))}
                  onFault={setFault}
                />
                <RelationshipsPanel
                  id={id}
                  service={card?.service ?? 'arke'}
                  base={mine}
                  content={byHand.now}
                  begun={byHand.begun}
                  collection={byHand.now.relationships.find(({ predicate }) => predicate === 'collection')?.peer}
                  known={[]}
                  onChange={change}
                />
              </div>
            ) : (
              <ThreeWayTable
                shown={shown}
                total={differences.length}
                onMore={showMore}
                based={base !== null}
                choices={choices}
                onChoose={(place, side) => setChoices({ ...choices, [place]: side })}
                relationships={[...mine.relationships, ...theirs.relationships, ...(base?.relationships ?? [])]}
              />
            )}
          </>
        )}
      </div>
      <section aria-label={t('sync.decision')} className="space-y-2 border-t border-line bg-surface px-5 py-2.5">
        {decide.error && !overtaken && !wasMissing && <Problem error={decide.error} retry={() => submit()} />}
        {unseen > 0 && !deletion && !whole && !byHand && <p>{t('merge.unseen', { count: unseen })}</p>}
        <div className="flex flex-wrap items-center gap-2">
          <Input
            aria-label={t('save.note')}
            placeholder={t('save.notePlaceholder')}
            value={note}
            onChange={({ target }) => setNote(target.value)}
            className="min-w-40 flex-1"
          />
          <Button look="main" onClick={() => submit()} disabled={fault || isGone || decide.isPending || overtaken}>
            {t('sync.decideThis')}
            <KeyCaps keys="Mod+Enter" />
          </Button>
        </div>
      </section>
      {question}
    </>
  );
}

function aboutOf(remote: string, based: boolean) {
  if (isArchive(remote)) return 'sync.conflictArchive';
  return based ? 'sync.conflictWith' : 'sync.conflictApart';
}
