import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Waiting } from '../../../components/waiting.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { showsMore } from '../../../shell/focus-kept.ts';
import { incomingQuery } from '../entity-queries.ts';

/** Which entities lead to this one; asked for when it is opened. */
export function Incoming({ id }: { id: string }) {
  const { t, number } = useTexts();
  const [open, setOpen] = useState(false);
  const found = useInfiniteQuery({ ...incomingQuery(id), enabled: open });
  const shown = found.data?.pages.flatMap(({ relationships }) => relationships) ?? [];
  const total = found.data?.pages[0]?.total;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="rounded py-1 font-medium">{t('relationship.incoming')}</summary>
      {open && found.isPending && <Waiting />}
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {total === 0 && <p className="text-quiet">{t('relationship.noIncoming')}</p>}
      {shown.length > 0 && (
        <>
          <ul className="mt-1 max-h-96 divide-y divide-line overflow-auto rounded-md border border-line bg-surface">
            {shown.map(({ predicate, peer_id, peer_label }) => (
              <li key={`${predicate} ${peer_id}`} className="flex min-h-8 items-center gap-2 px-2">
                <Link to="/entities/$id" params={{ id: peer_id }} className="min-w-0 flex-1 truncate hover:underline">
                  <bdi>{peer_label || peer_id}</bdi>
                </Link>
                <span className="max-w-40 shrink-0 truncate text-xs text-quiet">{predicate}</span>
              </li>
            ))}
          </ul>
          {found.hasNextPage && (
            <p className="mt-1 flex items-center gap-3 text-xs text-quiet">
              {t('relationship.moreIncoming', { shown: number(shown.length), total: number(total ?? 0) })}
              <Button
                small
                {...showsMore}
                onClick={() => void found.fetchNextPage()}
                disabled={found.isFetchingNextPage}
              >
                {t('list.more')}
              </Button>
            </p>
          )}
        </>
      )}
    </details>
  );
}
