import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { components } from '../../api/schema.d.ts';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { CollectionLine } from '../collections/collections-query.ts';

interface HitsProps {
  hits: readonly components['schemas']['PlacedHitView'][];
  /** The one that the keys are at. */
  active: number;
  /** Whether they are of what was sought before. */
  late: boolean;
  collections: readonly CollectionLine[];
}

/** What was found, the best first. */
export function Hits({ hits, active, late, collections }: HitsProps) {
  const { t } = useTexts();
  const names = new Map(collections.map(({ id, label }) => [id, label]));
  const line = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is scrolled to when it has become another one
  useEffect(() => {
    void line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ol
      aria-label={t('search.results')}
      aria-busy={late}
      className={classes('divide-y divide-line', late && 'opacity-60')}
    >
      {hits.map(({ id, label, type, collection_id, entity_preview }, i) => {
        const text = entity_preview?.description_preview ?? entity_preview?.text_preview;
        const home = collection_id ? names.get(collection_id) : undefined;
        return (
          <li
            key={id}
            ref={i === active ? line : null}
            className={classes(
              'px-5 py-2 hover:bg-surface',
              i === active && 'bg-surface shadow-[inset_3px_0_0_var(--color-accent)]',
            )}
          >
            <div className="flex items-baseline gap-3">
              <Link to="/entities/$id" params={{ id }} className="min-w-0 truncate font-medium hover:underline">
                <bdi>{label.slice(0, 300) || t('entity.noLabel')}</bdi>
              </Link>
              <bdi className="shrink-0 text-xs text-quiet">{type.slice(0, 100)}</bdi>
              {home && <bdi className="ml-auto max-w-48 shrink-0 truncate text-xs text-quiet">{home}</bdi>}
            </div>
            {text && (
              <p className="line-clamp-2 text-quiet">
                <bdi>{text}</bdi>
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}
