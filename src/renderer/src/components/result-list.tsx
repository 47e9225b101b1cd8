import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { classes } from './classes.ts';
import { Marked } from './marked.tsx';
import { useIntoView } from './use-into-view.ts';

interface ResultListProps<T> {
  items: readonly T[];
  keyOf(item: T): string;
  show(item: T): ReactNode;
  /** The one that the keys are at. */
  active: number;
  /** Whether they are of what was asked before. */
  late: boolean;
  /** The classes of a line. */
  line: string;
}

/** What was found, the best first. */
export function ResultList<T>({ items, keyOf, show, active, late, line }: ResultListProps<T>) {
  const { t } = useTexts();
  const here = useIntoView<HTMLLIElement>(active);
  return (
    <ol
      aria-label={t('search.results')}
      aria-busy={late}
      className={classes('divide-y divide-line', late && 'opacity-60')}
    >
      {items.map((item, i) => (
        <li
          key={keyOf(item)}
          ref={i === active ? here : null}
          className={classes(
            'px-5 hover:bg-surface',
            line,
            i === active && 'bg-surface shadow-[inset_3px_0_0_var(--color-accent)]',
          )}
        >
          {show(item)}
        </li>
      ))}
    </ol>
  );
}

/** An entity that was found: the way to it, and its type. */
export function ResultName({
  id,
  label,
  type,
  sought = [],
}: {
  id: string;
  label: string;
  type: string;
  /** Words to mark; see marked-words.ts. */
  sought?: readonly string[];
}) {
  const { t } = useTexts();
  return (
    <>
      <Link to="/entities/$id" params={{ id }} className="min-w-0 truncate font-medium hover:underline">
        <bdi>{label === '' ? t('entity.noLabel') : <Marked text={label.slice(0, 300)} sought={sought} />}</bdi>
      </Link>
      <bdi className="max-w-48 shrink-0 truncate text-xs text-quiet">{type.slice(0, 100)}</bdi>
    </>
  );
}

/** How the text of what was found begins. */
export function ResultText({
  text,
  lines,
  sought = [],
}: {
  text: string | undefined;
  lines: 'line-clamp-1' | 'line-clamp-2';
  sought?: readonly string[];
}) {
  if (!text) return null;
  return (
    <p className={`${lines} text-quiet`}>
      <bdi>
        <Marked text={text} sought={sought} />
      </bdi>
    </p>
  );
}
