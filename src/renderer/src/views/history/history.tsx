import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { PageHead } from '../../components/page-head.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { EntityHead } from '../entity/entity-head.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import type { Json } from '../entity/model/json.ts';
import { ReadOnly, useReadOnly } from '../entity/read-only.tsx';
import { Comparison } from './comparison.tsx';
import { originsQuery, type Version, versionQuery, versionsQuery } from './history-queries.ts';
import { Replaced } from './replaced.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import type { Restoring } from './restore-version.ts';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/entities/$id/history');

/** Every version of an entity, any two of them compared, each to be restored. Which two are compared is in the address. */
export function History() {
  const { t } = useTexts();
  const { id } = route.useParams();
  const address = route.useSearch();
  const go = useNavigate({ from: '/entities/$id/history' });
  const entity = useQuery(entityQuery(id));
  const chain = useInfiniteQuery(versionsQuery(id));
  const { isPending, error, isFetchNextPageError } = chain;
  const origins = useQuery(originsQuery(id));
  const [restoring, setRestoring] = useState<Restoring | null>(null);

  const versions = chain.data?.pages.flatMap((page) => page.versions) ?? [];
  const tip = versions[0]?.cid;
  const to = address.to ?? tip ?? '';
  const at = versions.findIndex(({ cid }) => cid === to);
  // Of what is not listed, or last as yet, the list does not say what was before it.
  const isOpen =
    address.from === undefined && to !== '' && (at === -1 || (at === versions.length - 1 && chain.hasNextPage));
  const later = useQuery(versionQuery(to));
  const from = address.from ?? (isOpen ? later.data?.prev?.['/'] : versions[at + 1]?.cid) ?? '';
  const gone = entity.error instanceof Failure && entity.error.kind === 'gone';
  const shows = entity.data?.type === 'collection' ? 'collection' : 'entity';
  const isReadOnly = useReadOnly(id, shows) && entity.data !== undefined && !gone;
  const received = new Map(
    (origins.data ?? []).toReversed().flatMap(({ to, received_from }) => {
      const name = received_from?.remote ?? received_from?.account;
      return name ? [[to, t('history.receivedFrom', { name })] as const] : [];
    }),
  );
  const choose = (side: 'from' | 'to', cid: string) =>
    void go({ search: (old) => ({ ...old, ...(from !== '' && { from }), to, [side]: cid }), replace: true });
  // Step by step through what each version changed.
  const step = (next: number) => {
    const cid = versions[next]?.cid;
    if (cid) void go({ search: ({ from: _, ...old }) => ({ ...old, to: cid }), replace: true });
    if (next === versions.length - 1 && chain.hasNextPage) void chain.fetchNextPage();
  };
  const shown = versions[at];
  // The version that is looked at now is the one that may be replaced.
  const ask = (version: Version) => {
    if (tip !== undefined) setRestoring({ version, tip });
  };
  const look = async (since: string) => {
    const { data } = await chain.refetch();
    const newest = data?.pages[0]?.versions[0]?.cid;
    if (newest) await go({ search: (old) => ({ ...old, from: since, to: newest }), replace: true });
  };
  const timeline = {
    ...{ id, versions, origins: received, from, to, current: tip },
    onChoose: choose,
    onRestore: isReadOnly ? undefined : ask,
  };
  useCommands([
    ...stepCommands(t, at, versions.length, step),
    {
      id: 'edit',
      label: t('entity.properties'),
      group: t('group.entity'),
      keys: ['e'],
      run: () => void go({ to: '/entities/$id', params: { id } }),
    },
    ...(shown && at > 0 && !later.data?.deleted && !isReadOnly
      ? [
          {
            id: 'restore',
            label: t('history.restore', { ver: shown.ver }),
            group: t('group.entity'),
            keys: ['r'],
            run: () => ask(shown),
          },
        ]
      : []),
  ]);

  return (
    <>
      {entity.data && !gone ? (
        <EntityHead entity={entity.data} title={entity.data.properties.label as Json | undefined} />
      ) : (
        <PageHead
          title={gone ? t('entity.deleted') : t('history.title')}
          above={<code className="font-mono">{id}</code>}
        />
      )}
      {isReadOnly && <ReadOnly id={id} shows={shows} />}
      {/* What is there stays, with what is asked of it. */}
      <QueryState query={{ isPending, error, refetch: isFetchNextPageError ? chain.fetchNextPage : chain.refetch }} />
      {chain.data && (
        <div className="lg:grid lg:min-h-0 lg:flex-1 lg:grid-cols-[22rem_minmax(0,1fr)]">
          <div className="border-line bg-surface lg:min-h-0 lg:overflow-auto lg:border-r">
            <Timeline
              {...timeline}
              label={t('history.versions')}
              about={t('history.about')}
              more={{ has: chain.hasNextPage, busy: chain.isFetchingNextPage, load: () => void chain.fetchNextPage() }}
            />
            {/* Before all of it is listed nobody knows what is in it. */}
            {!chain.hasNextPage && <Replaced key={id} {...timeline} moves={origins.data ?? []} />}
          </div>
          <div className="lg:min-h-0 lg:overflow-auto">
            {isOpen && <QueryState query={later} />}
            {to !== '' && !(isOpen && !later.data) && <Comparison key={`${from} ${to}`} from={from} to={to} />}
          </div>
        </div>
      )}
      {restoring && (
        <RestoreDialog
          id={id}
          restoring={restoring}
          tip={tip}
          onClose={() => setRestoring(null)}
          onLook={(since) => void look(since)}
        />
      )}
    </>
  );
}
