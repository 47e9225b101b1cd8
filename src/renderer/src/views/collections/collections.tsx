import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Library, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Input } from '../../components/field.tsx';
import { More } from '../../components/more.tsx';
import { onceEach } from '../../components/once-each.ts';
import { PageHead } from '../../components/page-head.tsx';
import { pressedKey } from '../../components/pressed-key.ts';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useEarlyEnter } from '../../components/use-early-enter.ts';
import { useSettled } from '../../components/use-settled.ts';
import { useTypedAddress } from '../../components/use-typed-address.ts';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionLines } from './collection-lines.tsx';
import { collectionPages, newestCollections } from './collections-query.ts';
import { likeliest } from './likeliest.ts';
import { NewCollection } from './new-collection.tsx';

const route = getRouteApi('/collections');

/** All collections of the node, found by a part of their names. */
export function Collections() {
  const { t, number } = useTexts();
  const go = useNavigate();
  const all = useQuery(newestCollections);
  const { q = '' } = route.useSearch();
  const [part, setPart] = useTypedAddress(q, (next) => {
    void go({ to: '/collections', search: (old) => ({ ...old, q: next }), replace: true });
  });
  const [creating, setCreating] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const wanted = part.trim();
  const settled = useSettled(wanted);
  const list = useInfiniteQuery(collectionPages(settled));
  const shown = onceEach((list.data?.pages ?? []).flatMap(({ collections }) => collections));
  // What is shown may be of what was typed before: Enter would take that.
  const isOfText = settled === wanted && !list.isPlaceholderData;
  const { at, put, reset } = useActive(shown.map(({ id }) => id));
  const open = (id: string | undefined) => id && void go({ to: '/collections/$id', params: { id } });
  const early = useEarlyEnter(!isOfText, () => open(likeliest(shown, wanted)?.id));

  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, shown.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter'], palette: false, run: () => open(shown[at]?.id) },
    { id: 'find', label: t('list.filter'), group, keys: ['/'], run: () => box.current?.focus() },
    {
      id: 'deleted',
      label: t('deleted.collections'),
      group: t('group.places'),
      keys: ['g d'],
      run: () => void go({ to: '/collections/deleted' }),
    },
    { id: 'new-collection', label: t('collections.new'), group, keys: ['n'], run: () => setCreating(true) },
  ]);

  const none = all.data?.total === 0;
  return (
    <>
      <PageHead
        title={t('collections.title')}
        about={all.data && t('collections.count', { count: all.data.total, number: number(all.data.total) })}
        actions={
          <>
            {!none && (
              <Input
                ref={box}
                type="search"
                value={part}
                onChange={({ target }) => {
                  early.current = false;
                  reset();
                  setPart(target.value);
                }}
                onBlur={() => {
                  early.current = false;
                }}
                onKeyDown={(event) => {
                  if (pressedKey(event) !== 'Enter') return;
                  early.current = !isOfText;
                  if (isOfText) open(shown[0]?.id);
                }}
                placeholder={t('list.filter')}
                aria-label={t('list.filter')}
                className="w-56"
              />
            )}
            <Link to="/collections/deleted" className={buttonClasses()}>
              <Trash2 size={15} aria-hidden />
              {t('entity.deleted')}
            </Link>
            <Button look="main" onClick={() => setCreating(true)}>
              <Plus size={15} aria-hidden />
              {t('collections.new')}
            </Button>
          </>
        }
      />
      <QueryState query={list} />
      {none && (
        <EmptyState icon={Library} title={t('collections.none')}>
          <p>{t('collections.noneAbout')}</p>
          <Link to="/" className="text-accent underline">
            {t('collections.noneStart')}
          </Link>
        </EmptyState>
      )}
      {list.data && isOfText && !none && shown.length === 0 && (
        <EmptyState icon={Library} title={t('table.nothing')}>
          <p>{t('collections.nothingAbout')}</p>
        </EmptyState>
      )}
      {shown.length > 0 && <CollectionLines collections={shown} active={at} />}
      <More list={list} />
      <NewCollection open={creating} onClose={() => setCreating(false)} />
    </>
  );
}
