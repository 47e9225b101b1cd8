import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Bot, Cog, Plus, SearchX, Workflow } from 'lucide-react';
import { useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Select } from '../../components/field.tsx';
import { FilterBox } from '../../components/filter-box.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { More } from '../../components/more.tsx';
import { onceEach } from '../../components/once-each.ts';
import { PageHead } from '../../components/page-head.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useTypedAddress } from '../../components/use-typed-address.ts';
import { useTexts } from '../../messages/texts.tsx';
import { ProcessorLines } from './processor-lines.tsx';
import { processorsQuery } from './processor-queries.ts';
import { type Kind, kinds, type ProcessorsAddress, type Status, statuses } from './processors-address.ts';

const route = getRouteApi('/processors');
const kindIcons = { agent: Bot, klados: Cog, rhiza: Workflow };

/** All agents, kladoi and rhizai of the node, found by kind, state and a part of their names. */
export function Processors() {
  const { t, number } = useTexts();
  const address = route.useSearch();
  const go = useNavigate({ from: '/processors' });
  const box = useRef<HTMLInputElement>(null);
  const list = useInfiniteQuery(processorsQuery(address));
  const lines = onceEach(list.data?.pages.flatMap(({ processors }) => processors) ?? []);
  const total = list.data?.pages[0]?.total ?? 0;
  const { at, put, reset } = useActive(lines.map(({ id }) => id));

  const change = (next: ProcessorsAddress) => {
    reset();
    void go({ search: (old) => ({ ...old, ...next }), replace: true });
  };
  const [typed, setTyped] = useTypedAddress(address.q ?? '', (q) => change({ q }));
  const open = (id: string | undefined) => id && void go({ to: '/processors/$id', params: { id } });
  const create = (kind: Kind) => void go({ to: '/processors/new', search: { kind } });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, lines.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter'], palette: false, run: () => open(lines[at]?.id) },
    { id: 'find', label: t('list.filter'), group, keys: ['/'], run: () => box.current?.focus() },
    ...kinds.map((kind) => ({
      id: `new-${kind}`,
      label: t(`processor.new.${kind}`),
      group,
      ...(kind === 'klados' ? { keys: ['n'] } : {}),
      run: () => create(kind),
    })),
  ]);

  const filtered = address.q !== undefined || address.type !== undefined || address.status !== undefined;
  return (
    <>
      <PageHead
        title={t('processors.title')}
        about={list.data && t('processors.count', { count: total, number: number(total) })}
        actions={
          <Menu
            trigger={
              <Button look="main">
                <Plus size={15} aria-hidden />
                {t('processors.new')}
              </Button>
            }
          >
            {kinds.map((kind) => {
              const Icon = kindIcons[kind];
              return (
                <MenuItem key={kind} onSelect={() => create(kind)}>
                  <Icon size={15} aria-hidden />
                  {t(`processor.new.${kind}`)}
                </MenuItem>
              );
            })}
          </Menu>
        }
      />
      <search className="flex flex-wrap items-center gap-2 border-b border-line px-5 py-2">
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">{t('processor.kind')}</legend>
          {[undefined, ...kinds].map((kind) => (
            <button
              key={kind ?? 'all'}
              type="button"
              aria-pressed={address.type === kind}
              onClick={() => change({ type: kind })}
              className={classes(
                buttonClasses('quiet', true),
                address.type === kind && 'bg-accent-soft font-semibold text-ink',
              )}
            >
              {kind ? t(`processors.${kind}`) : t('processors.all')}
            </button>
          ))}
        </fieldset>
        <FilterBox
          ref={box}
          maxLength={200}
          value={typed}
          onType={setTyped}
          label={t('list.filter')}
          className="ml-auto w-56"
        />
        <Select
          aria-label={t('processor.state')}
          className="w-40"
          value={address.status ?? ''}
          onChange={({ target }) => change({ status: (target.value || undefined) as Status | undefined })}
        >
          <option value="">{t('processors.anyState')}</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {t(`processor.status.${status}`)}
            </option>
          ))}
        </Select>
      </search>
      <QueryState query={list} />
      {list.data && lines.length === 0 && !filtered && (
        <EmptyState icon={Workflow} title={t('processors.none')}>
          <p>{t('processors.noneAbout')}</p>
          <Link to="/processors/new" search={{ kind: 'klados' }} className={buttonClasses('main')}>
            {t('processor.new.klados')}
          </Link>
        </EmptyState>
      )}
      {list.data && lines.length === 0 && filtered && (
        <EmptyState icon={SearchX} title={t('table.nothing')}>
          <Link to="/processors" search={{}} className="text-accent underline">
            {t('table.showAll')}
          </Link>
        </EmptyState>
      )}
      {lines.length > 0 && (
        <div className="min-h-0 flex-1 overflow-auto">
          <ProcessorLines lines={lines} active={at} />
          <More list={list} />
        </div>
      )}
    </>
  );
}
