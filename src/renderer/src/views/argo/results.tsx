import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { Result } from './argo-queries.ts';
import { PathLine, rounded } from './path-line.tsx';

interface ResultsProps {
  results: readonly Result[];
  /** The one that the keys are at. */
  active: number;
  /** Whether they are those of what was asked before. */
  late: boolean;
}

/** What a query found, the best first, each with the way that led to it. */
export function Results({ results, active, late }: ResultsProps) {
  const { t, number } = useTexts();
  const line = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is scrolled to when it has become another one
  useEffect(() => {
    void line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ol
      aria-label={t('search.results')}
      aria-busy={late}
      className={classes('divide-y divide-line border-y border-line', late && 'opacity-60')}
    >
      {results.map(({ entity: { id, label, type, preview_data }, path, score }, i) => {
        const text = preview_data?.description_preview ?? preview_data?.text_preview;
        return (
          <li
            key={id}
            ref={i === active ? line : null}
            className={classes(
              'grid grid-cols-[3rem_minmax(0,1fr)] gap-x-3 px-5 py-2.5 hover:bg-surface',
              i === active && 'bg-surface shadow-[inset_3px_0_0_var(--color-accent)]',
            )}
          >
            <Score value={score} />
            <div className="min-w-0 space-y-1">
              {path.length > 0 ? (
                <PathLine steps={path} end={{ id, label, type }} />
              ) : (
                <div className="flex items-baseline gap-3">
                  <Link to="/entities/$id" params={{ id }} className="min-w-0 truncate font-medium hover:underline">
                    <bdi>{label.slice(0, 300) || t('entity.noLabel')}</bdi>
                  </Link>
                  <bdi className="max-w-48 shrink-0 truncate text-xs text-quiet">{type.slice(0, 100)}</bdi>
                </div>
              )}
              {text && (
                <p className="line-clamp-1 text-quiet">
                  <bdi>{text}</bdi>
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );

  function Score({ value }: { value: number }) {
    return (
      <span title={t('argo.score')} className="pt-0.5">
        <span className="sr-only">{t('argo.score')} </span>
        <span className="text-xs text-quiet tabular-nums">{number(rounded(value))}</span>
        <span aria-hidden className="mt-0.5 block h-1 overflow-hidden rounded-full bg-sunken">
          <span className="block h-full bg-accent" style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
        </span>
      </span>
    );
  }
}
