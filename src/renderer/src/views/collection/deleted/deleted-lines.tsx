import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { Button } from '../../../components/button.tsx';
import { classes } from '../../../components/classes.ts';
import { KeyCaps } from '../../../components/key-caps.tsx';
import { Moment } from '../../../components/moment.tsx';
import { useIntoView } from '../../../components/use-into-view.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { PeerName } from '../../entity/peer-name.tsx';
import type { DeletedRow } from './deleted-query.ts';

interface DeletedLinesProps {
  rows: readonly DeletedRow[];
  /** The one that the keys are at. */
  active: number;
  /** CIDs of deletions. */
  selected: ReadonlySet<string>;
  onSelect(cids: ReadonlySet<string>): void;
  onRestore(row: DeletedRow): void;
  busy: boolean;
}

/** Deleted entities, a line each: what it was called, who deleted it when, what was said of it, and the way back. */
export function DeletedLines({ rows, active, selected, onSelect, onRestore, busy }: DeletedLinesProps) {
  const { t } = useTexts();
  const here = useIntoView<HTMLTableRowElement>(active, rows[active]?.cid);
  const all = rows.length > 0 && rows.every(({ cid }) => selected.has(cid));
  return (
    <table className="w-full table-fixed">
      <thead className="text-left text-xs text-quiet">
        <tr className="border-b border-line">
          <th className="w-11 py-2 pl-5 font-medium">
            <input
              type="checkbox"
              className="block size-4 accent-accent"
              aria-label={t('deleted.selectAll')}
              checked={all}
              onChange={() => onSelect(new Set(all ? [] : rows.map(({ cid }) => cid)))}
            />
          </th>
          <th className="px-2 py-2 font-medium">{t('column.label')}</th>
          <th className="hidden w-40 px-3 py-2 font-medium lg:table-cell">{t('column.type')}</th>
          <th className="hidden w-48 px-3 py-2 font-medium sm:table-cell">{t('entity.deleted')}</th>
          <th className="w-48 py-2 pr-5">
            <span className="sr-only">{t('entity.restore')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => {
          const { id, cid, label, type, deleted_at, deleted_by, note } = row;
          const isHere = i === active;
          const name = label ?? t('entity.noLabel');
          return (
            <tr
              key={id}
              ref={isHere ? here : null}
              aria-current={isHere || undefined}
              className={classes(
                'border-b border-line align-top hover:bg-surface',
                selected.has(cid) && 'bg-accent-soft',
                isHere && 'shadow-[inset_3px_0_0_var(--color-accent)]',
              )}
            >
              <td className="py-2.5 pl-5">
                <input
                  type="checkbox"
                  className="block size-4 accent-accent"
                  aria-label={`${t('list.select')}: ${name}`}
                  checked={selected.has(cid)}
                  onChange={() => onSelect(toggled(selected, cid))}
                />
              </td>
              <td className="px-2 py-2">
                <Link
                  to="/entities/$id"
                  params={{ id }}
                  className={classes('block truncate font-medium hover:underline', label === null && 'text-quiet')}
                >
                  <bdi>{name}</bdi>
                </Link>
                <p className="truncate text-xs text-quiet">
                  <bdi className="lg:hidden">{type} · </bdi>
                  <PeerName id={deleted_by} />
                  {note !== null && <bdi> · {note}</bdi>}
                  <span className="sm:hidden">
                    {' · '}
                    <Moment at={deleted_at} />
                  </span>
                </p>
              </td>
              <td className="hidden truncate px-3 py-2 text-quiet lg:table-cell">
                <bdi>{type}</bdi>
              </td>
              <td className="hidden px-3 py-2 text-quiet sm:table-cell">
                <Moment at={deleted_at} />
              </td>
              <td className="py-1.5 pr-5 text-right">
                <Button small onClick={() => onRestore(row)} disabled={busy}>
                  <RotateCcw size={13} aria-hidden />
                  {t('entity.restore')}
                  <span className="sr-only">{name}</span>
                  {isHere && selected.size === 0 && (
                    <span className="hidden md:inline">
                      <KeyCaps keys="r" />
                    </span>
                  )}
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The same with one more, or one less. */
export function toggled(selected: ReadonlySet<string>, cid: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(cid)) next.add(cid);
  return next;
}
