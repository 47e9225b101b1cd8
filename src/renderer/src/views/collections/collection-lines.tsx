import { Link } from '@tanstack/react-router';
import { CloudDownload } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { Moment } from '../../components/moment.tsx';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { CollectionLine } from './collections-query.ts';

/** Collections, a line each; `active` is the one that the keys are at. */
export function CollectionLines({ collections, active }: { collections: readonly CollectionLine[]; active: number }) {
  const { t, number } = useTexts();
  const line = useIntoView<HTMLTableRowElement>(active, collections[active]?.id);
  return (
    <table className="w-full table-fixed">
      <thead className="text-left text-xs text-quiet">
        <tr className="border-b border-line">
          <th className="px-5 py-2 font-medium">{t('column.label')}</th>
          <th className="w-24 px-3 py-2 text-right font-medium">{t('collections.entities')}</th>
          <th className="hidden w-36 px-3 py-2 font-medium sm:table-cell">{t('collections.origin')}</th>
          <th className="hidden w-52 px-5 py-2 font-medium lg:table-cell">{t('column.updated_at')}</th>
        </tr>
      </thead>
      <tbody>
        {collections.map(({ id, label, entities, mirror, updated_at }, i) => (
          <tr
            key={id}
            ref={i === active ? line : null}
            className={classes('border-b border-line hover:bg-surface', i === active && 'bg-accent-soft')}
          >
            <td className="truncate px-5 py-2">
              <Link to="/collections/$id" params={{ id }} className="font-medium hover:underline" dir="auto">
                {label ?? t('entity.noLabel')}
              </Link>
            </td>
            <td className="px-3 py-2 text-right tabular-nums">{number(entities)}</td>
            <td className="hidden truncate px-3 py-2 text-quiet sm:table-cell">
              {mirror === null ? (
                t('collections.ofThisNode')
              ) : (
                <span className="inline-flex items-center gap-1.5">
                  <CloudDownload size={14} aria-hidden />
                  {t('collections.mirrorOf', { remote: mirror })}
                </span>
              )}
            </td>
            <td className="hidden px-5 py-2 text-quiet lg:table-cell">
              <Moment at={updated_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
