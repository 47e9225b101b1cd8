import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { AndMore } from '../../components/and-more.tsx';
import { Button, buttonClasses } from '../../components/button.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Moment } from '../../components/moment.tsx';
import { NodeSaid } from '../../components/node-said.tsx';
import { ownWords } from '../../components/node-words.ts';
import { Problem } from '../../components/problem.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { toldBy } from './records/reports.ts';
import { Count } from './records/running.tsx';
import { ChangedList, UndoDialog } from './undo/undo-dialog.tsx';
import { isUndone, madeQuery } from './undo/undo-import.ts';

/**
 * What became of an import, where to go from there, and its undo. What it told record by record is known in the tab that ran it.
 * `onMore`: what is imported next goes into that collection, where one is given.
 */
export function Summary({ id, onMore }: { id: string; onMore(collection?: string): void }) {
  const { t, number } = useTexts();
  const { report = null, whole = false } = toldBy(id) ?? {};
  const made = useQuery(madeQuery(id));
  const [undoing, setUndoing] = useState(false);
  const go = useNavigate();
  const home = made.data?.import.collection;
  const group = t('group.import');
  useCommands([
    ...(home && !home.deleted
      ? [
          {
            id: 'open',
            label: t('import.openCollection'),
            group,
            keys: ['o'],
            run: () => void go({ to: '/collections/$id', params: { id: home.id } }),
          },
        ]
      : []),
    { id: 'undo-import', label: t('undo.open'), group, keys: ['u'], run: () => setUndoing(true) },
  ]);
  if (!made.data) return <QueryState query={made} />;
  const { collection, counts, started_at, files, state } = made.data.import;
  // What was told last may be older than the counts, where the page was loaded again meanwhile.
  const told = (what: 'refused' | 'differing' | 'left_alone') => Math.max(counts[what], report?.[what] ?? 0);
  const placeOf = (place: string) => ownWords(t, place) ?? place;
  const gone = isUndone(made.data);
  const brokenOff = state === 'broken_off' && !gone && !whole;
  const underWay = state === 'open' && !whole;
  const headline = brokenOff ? 'import.brokenOff' : underWay ? 'import.underWay' : 'import.done';
  return (
    <div className="max-w-4xl space-y-5 p-5">
      {/* What is there stays: its undo may be under way. */}
      {made.error && <Problem error={made.error} retry={() => void made.refetch()} />}
      <section aria-labelledby="import-result" className="space-y-3">
        <h2 id="import-result" className="flex items-center gap-2 text-base font-semibold">
          {brokenOff ? (
            <CircleAlert size={18} className="text-warning" aria-hidden />
          ) : (
            <CircleCheck size={18} className={gone || underWay ? 'text-quiet' : 'text-good'} aria-hidden />
          )}
          {gone ? t('undo.undone') : t(headline, { count: counts.created, number: number(counts.created) })}
        </h2>
        {brokenOff && <p className="max-w-prose rounded-md bg-warning-soft p-3">{t('import.brokenOffAbout')}</p>}
        <p className="text-quiet">
          <bdi>{files.join(', ') || id}</bdi> →{' '}
          <bdi>{collection ? (collection.label ?? collection.id) : t('import.ownCollections')}</bdi> ·{' '}
          <Moment at={started_at} />
        </p>
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
          {(['records', 'created', 'updated', 'unchanged', 'left_alone', 'refused'] as const).map((name) => (
            <Count key={name} name={t(`import.count.${name}`)} value={number(counts[name])} />
          ))}
        </dl>
        {counts.repeated > 0 && (
          <p className="text-quiet">
            {t('import.repeated', { count: counts.repeated, number: number(counts.repeated) })}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {collection && !collection.deleted && (
            <Link to="/collections/$id" params={{ id: collection.id }} className={buttonClasses('main')}>
              {t('import.openCollection')}
              <KeyCaps keys="o" />
            </Link>
          )}
          {brokenOff ? (
            <Button onClick={() => onMore(home?.deleted ? undefined : home?.id)}>{t('import.again')}</Button>
          ) : (
            <Button onClick={() => onMore()}>{t('import.more')}</Button>
          )}
          <Button onClick={() => setUndoing(true)} disabled={made.data.untouched === 0 && !made.data.collection_goes}>
            <Undo2 size={15} aria-hidden />
            {t('undo.open')}
            <KeyCaps keys="u" />
          </Button>
        </div>
      </section>
      <Examples
        of={told('refused')}
        title={(count) => t('import.refusedCount', { count, number: number(count) })}
        about={t('import.refusedAbout')}
        lines={report?.refused_examples.map(({ place, issues }) => {
          const said = issues.map(({ message }) => message).join('; ');
          return said.startsWith(place) ? said : `${place}: ${said}`;
        })}
      />
      <Examples
        of={told('differing')}
        title={(count) => t('import.differing', { count, number: number(count) })}
        about={t('import.differingAbout')}
        lines={report?.differing_examples.map(({ place, reason, names }) => {
          const what = names.length > 0 ? `: ${names.join(', ')}` : '';
          return `${placeOf(place)}: ${t(`import.differs.${reason}`)}${what}`;
        })}
      />
      <Examples
        of={report?.unmet_fields?.length ?? 0}
        title={() => t('import.unmet')}
        about={t('import.unmetAbout')}
        lines={report?.unmet_fields?.map(({ place, field }) => `${field} (${place})`)}
      />
      <Examples
        of={told('left_alone')}
        title={(count) => t('import.leftAlone', { count, number: number(count) })}
        about={t(collection ? 'import.leftAloneAbout' : 'import.leftAloneOfArchive')}
        elsewhere={
          !collection && (
            <Link to="/sync/conflicts" className="text-accent underline">
              {t('sync.conflicts')}
            </Link>
          )
        }
        lines={report?.left_alone_examples.map(
          ({ place, reason }) => `${placeOf(place)}: ${t(`import.reason.${reason}`)}`,
        )}
      />
      {made.data.changed > 0 && (
        <section aria-labelledby="import-changed" className="space-y-2">
          <h2 id="import-changed" className="text-base font-semibold">
            {t('undo.changedSince', { count: made.data.changed, number: number(made.data.changed) })}
          </h2>
          <p className="text-quiet">{t('undo.changedAbout')}</p>
          <ChangedList changed={made.data.changed_examples} total={made.data.changed} />
        </section>
      )}
      <UndoDialog made={made.data} open={undoing} onClose={() => setUndoing(false)} />
    </div>
  );
}

interface ExamplesProps {
  /** How many there are. */
  of: number;
  title(count: number): string;
  about: string;
  /** The first of them; undefined where it is not known which they are. */
  lines: string[] | undefined;
  /** Where they can be looked at in that case. */
  elsewhere?: ReactNode;
}

function Examples({ of, title, about, lines = [], elsewhere }: ExamplesProps) {
  const { t } = useTexts();
  if (of === 0) return null;
  return (
    <section className="space-y-2">
      <h2 className="text-base font-semibold">{title(of)}</h2>
      <p className="text-quiet">{about}</p>
      {lines.length === 0 ? (
        elsewhere || <p className="max-w-prose rounded-md bg-warning-soft p-3">{t('import.whichUnknown')}</p>
      ) : (
        <ul className="max-h-60 list-disc overflow-auto rounded-md border border-line bg-surface py-2 pr-3 pl-7">
          {[...new Set(lines)].map((line) => (
            <li key={line} className="break-words">
              <NodeSaid said={line} />
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && <AndMore total={of} listed={lines.length} />}
    </section>
  );
}
