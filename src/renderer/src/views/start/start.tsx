import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionLines } from '../collections/collection-lines.tsx';
import { newestCollections, shownAtStart } from '../collections/collections-query.ts';
import { NewCollection } from '../collections/new-collection.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NodeSummary } from './node-summary.tsx';

/** What the node holds, and what can be done next. */
export function Start() {
  const { t, number } = useTexts();
  const list = useQuery(newestCollections);
  const [creating, setCreating] = useState(false);
  const go = useNavigate();
  // The others are one click further.
  const newest = list.data?.collections ?? [];
  const { at, put } = useActive(newest.map(({ id }) => id));
  const open = (id: string | undefined) => id && void go({ to: '/collections/$id', params: { id } });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, newest.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter'], palette: false, run: () => open(newest[at]?.id) },
    { id: 'new-collection', label: t('collections.new'), group, keys: ['n'], run: () => setCreating(true) },
  ]);
  const total = list.data?.total ?? 0;
  return (
    <>
      <PageHead
        title={t(total > 0 || !list.data ? 'start.title' : 'start.welcome')}
        actions={
          <Button look={total > 0 ? 'main' : 'plain'} onClick={() => setCreating(true)}>
            <Plus size={15} aria-hidden />
            {t('collections.new')}
          </Button>
        }
      />
      <QueryState query={list} />
      {list.data && total === 0 && <FirstSteps />}
      {list.data && total > 0 && (
        <div className="grid grid-cols-1 flex-1 content-start gap-x-6 lg:content-stretch lg:grid-cols-[minmax(0,1fr)_20rem]">
          <section aria-labelledby="start-collections">
            <h2 id="start-collections" className="px-5 pt-4 pb-1 text-base font-semibold">
              {t('collections.title')}
            </h2>
            <CollectionLines collections={newest} active={at} />
            {total > shownAtStart && (
              <p className="px-5 py-3">
                <Link to="/collections" className="text-accent underline">
                  {t('start.allCollections', { count: total, number: number(total) })}
                </Link>
              </p>
            )}
          </section>
          <NodeSummary />
        </div>
      )}
      <NewCollection open={creating} onClose={() => setCreating(false)} />
    </>
  );
}
