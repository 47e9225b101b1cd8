import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Search as Glass, SearchX } from 'lucide-react';
import { useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBox } from '../../components/filter-box.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { useActive } from '../../components/use-active.ts';
import { useTypedAddress } from '../../components/use-typed-address.ts';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { TypeFacets } from '../collection/type-facets.tsx';
import { CollectionChoice } from '../collections/collection-choice.tsx';
import { Hits } from './hits.tsx';
import { hitsQuery, mostHits, type SearchAddress } from './search-query.ts';

const route = getRouteApi('/search');

/** One box over everything that the node holds, with filters by type and collection. */
export function Search() {
  const { t, number } = useTexts();
  const address = route.useSearch();
  const go = useNavigate({ from: '/search' });
  const box = useRef<HTMLInputElement>(null);
  const found = useQuery(hitsQuery(address));
  // The types to choose from are those of what is found without choosing.
  const unfiltered = useQuery(hitsQuery({ ...address, types: undefined }));
  const hits = address.q ? (found.data?.results ?? []) : [];
  const { at, put, reset } = useActive(hits.map(({ id }) => id));

  const change = (next: Partial<SearchAddress>) => {
    reset();
    void go({ search: (old) => ({ ...old, ...next }), replace: true });
  };
  const [typed, setTyped] = useTypedAddress(address.q ?? '', (q) => change({ q }));
  // Behind what stands there, so that it can be gone on with.
  const typeOn = () => {
    box.current?.focus();
    box.current?.setSelectionRange(typed.length, typed.length);
  };
  const open = (id: string | undefined) => id && void go({ to: '/entities/$id', params: { id } });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, hits.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter', 'e'], palette: false, run: () => open(hits[at]?.id) },
    { id: 'find', label: t('search.box'), group, keys: ['/'], run: typeOn },
  ]);

  const all = unfiltered.data?.results ?? [];
  // What is chosen may be found by itself alone, behind better hits of other types.
  const behind = hits.filter(({ type }) => all.every((one) => one.type !== type));
  const types = [...Map.groupBy([...all, ...behind], ({ type }) => type)]
    .map(([type, all]) => ({ type, count: all.length }))
    .toSorted((a, b) => b.count - a.count);
  return (
    <>
      <PageHead
        title={t('search.title')}
        about={
          address.q &&
          found.data &&
          !found.isPlaceholderData && (
            <span role="status">
              {t(found.data.metadata.truncated || hits.length >= mostHits ? 'search.countAtLeast' : 'search.count', {
                count: hits.length,
                number: number(hits.length),
              })}
            </span>
          )
        }
      />
      <search className="space-y-2 border-b border-line px-5 py-3">
        <div className="flex flex-wrap gap-2">
          <FilterBox
            ref={box}
            // What was found is gone through by keys, also by whoever comes back to it.
            autoFocus={!address.q}
            maxLength={500}
            value={typed}
            onType={setTyped}
            placeholder={t('search.placeholder')}
            label={t('search.box')}
            className="min-w-64 flex-1"
          />
          <div className="w-64">
            <CollectionChoice
              label={t('search.collection')}
              value={address.collection ?? ''}
              none={t('search.everywhere')}
              onChange={(id) => change({ collection: id || undefined })}
            />
          </div>
        </div>
        {address.q && (
          <TypeFacets
            types={unfiltered.data && types}
            chosen={address.types ?? []}
            onChange={(next) => change({ types: next.length > 0 ? next : undefined })}
          />
        )}
      </search>
      {found.error && (
        <div className="p-5">
          <Problem error={found.error} retry={() => void found.refetch()} />
        </div>
      )}
      {!address.q && (
        <EmptyState icon={Glass} title={t('search.empty')}>
          <p>{t('search.emptyAbout')}</p>
        </EmptyState>
      )}
      {address.q && found.isPending && !found.error && <Waiting />}
      {address.q && found.data && hits.length === 0 && (
        <EmptyState icon={SearchX} title={t('table.nothing')}>
          <p>{t('search.nothingAbout')}</p>
          {address.types && <Button onClick={() => change({ types: undefined })}>{t('table.showAll')}</Button>}
        </EmptyState>
      )}
      {hits.length > 0 && <Hits hits={hits} active={at} late={found.isPlaceholderData} query={address.q ?? ''} />}
    </>
  );
}
