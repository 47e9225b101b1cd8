import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Download, FilePlus2, FileUp, Inbox, Plus, SearchX } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { ReadOnly } from '../entity/read-only.tsx';
import type { Selected } from '../export/formats.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { CollectionProblem, isGone } from './collection-problem.tsx';
import { CollectionViews } from './collection-views.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { Conditions } from './conditions.tsx';
import { EntityTable } from './entity-table.tsx';
import { LabelBox } from './label-box.tsx';
import { NewEntity } from './new-entity.tsx';
import { useSelectAll } from './select-all.ts';
import { type Selection, useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { labelPart, type TableAddress, withLabel } from './table-address.ts';
import { facetsQuery, type TableRow, type TableWanted, usualColumns } from './table-queries.ts';
import { TypeFacets } from './type-facets.tsx';
import { useMark } from './use-mark.ts';
import type { Rows } from './use-rows.ts';

const route = getRouteApi('/collections/$id');

/** A collection: its entities as a table, of any types, conditions, order and columns. All of that is in the address. */
export function Collection() {
  const { t, number } = useTexts();
  const { id } = route.useParams();
  const address = route.useSearch();
  const go = useNavigate({ from: '/collections/$id' });
  const collection = useQuery(entityQuery(id));
  const facets = useQuery(facetsQuery(id, address.types));
  const isFiltered = Boolean(address.types?.length || address.where?.length);
  const selection = useSelection(isFiltered ? JSON.stringify([address.types, address.where]) : '');
  const { mark, put, reset, follow } = useMark();
  const [creating, setCreating] = useState(false);
  // What was selected when it was opened: more may be by the time that it is gone through.
  const [editing, setEditing] = useState<Selection | null>(null);
  const [rows, setRows] = useState<Pick<Rows, 'total' | 'error'>>({ total: undefined, error: null });
  const latest = useRef<Rows>(undefined);
  const box = useRef<HTMLInputElement>(null);

  const columns = useMemo(
    () => address.columns ?? (facets.data ? usualColumns(facets.data, address.types) : undefined),
    [address.columns, address.types, facets.data],
  );
  const wanted: TableWanted | undefined = columns && {
    collection: id,
    types: address.types,
    where: address.where,
    sort: address.sort,
    order: address.order,
    columns: columns.filter((column) => column.includes('.')),
  };
  const all = useSelectAll(wanted, selection);
  const change = (next: Partial<TableAddress>) => {
    reset();
    void go({ search: (old) => ({ ...old, ...next }), replace: true });
  };
  const sort = (column: string) => {
    const before = address.sort === column ? (address.order ?? 'asc') : null;
    if (before === 'desc') change({ sort: undefined, order: undefined });
    else change({ sort: column, order: before === 'asc' ? 'desc' : undefined });
  };
  const open = useCallback((row: TableRow) => void go({ to: '/entities/$id', params: { id: row.id } }), [go]);
  const onRows = useCallback(
    (next: Rows) => {
      latest.current = next;
      follow(next);
      setRows((old) =>
        old.total === next.total && old.error === next.error ? old : { total: next.total, error: next.error },
      );
    },
    [follow],
  );

  // The next click goes to an entity, most likely.
  useEffect(() => {
    const timer = setTimeout(() => void import('../entity/entity.tsx').catch(() => undefined), 500);
    return () => clearTimeout(timer);
  }, []);

  const here = () => (mark.isLost ? undefined : latest.current?.at(mark.index));
  const retry = () => {
    latest.current?.retry();
    void facets.refetch();
  };
  // A selection stands beside the address: it may be too long for it.
  const exported = () =>
    void go({
      to: '/export',
      search: { collection: id },
      state: (selection.size > 0
        ? { selected: selection.rows.map((row) => row.id) }
        : isFiltered
          ? { filtered: id }
          : {}) satisfies Selected as object,
    });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, mark.index, rows.total ?? 0, put),
    {
      id: 'open',
      label: t('list.open'),
      group,
      keys: ['Enter', 'e'],
      palette: false,
      run: () => withRow(here(), open),
    },
    {
      id: 'select',
      label: t('list.select'),
      group,
      keys: ['x', 'Space'],
      palette: false,
      run: () => withRow(here(), selection.toggle),
    },
    { id: 'select-all', label: t('table.selectEverything'), group, keys: ['Mod+a'], run: all.start },
    { id: 'find', label: t('list.filter'), group, keys: ['/'], run: () => box.current?.focus() },
    { id: 'export', label: t('export.open'), group, keys: ['o'], run: exported },
    { id: 'new-entity', label: t('entity.new'), group, keys: ['n'], run: () => setCreating(true) },
    ...(selection.size > 0 && !all.reading
      ? [{ id: 'bulk', label: t('bulk.open'), group, keys: ['b'], run: () => setEditing(selection) }]
      : []),
    ...(selection.size > 0
      ? [{ id: 'clear', label: t('table.selectNone'), group, keys: ['Escape'], run: () => selection.clear() }]
      : []),
  ]);

  if (collection.error && !collection.data)
    return (
      <div className="p-5">
        <CollectionProblem error={collection.error} retry={collection.refetch} />
      </div>
    );
  const label = collection.data?.properties.label;
  // How many there were when it was last asked is no longer so.
  const gone = isGone(collection.error);
  return (
    <>
      <PageHead
        above={<Link to="/collections">{t('collections.title')}</Link>}
        title={typeof label === 'string' && label ? label : t('entity.noLabel')}
        about={
          rows.total !== undefined &&
          !gone && <span role="status">{t('table.count', { count: rows.total, number: number(rows.total) })}</span>
        }
        actions={
          <>
            <CollectionViews id={id} />
            <LabelBox
              ref={box}
              part={labelPart(address.where)}
              onChange={(part) => change({ where: withLabel(address.where, part) })}
            />
            <ColumnsMenu facets={facets.data} columns={columns ?? []} onChange={(next) => change({ columns: next })} />
            <Button onClick={exported}>
              <Download size={15} aria-hidden />
              {t('export.open')}
            </Button>
            <Button look="main" onClick={() => setCreating(true)}>
              <Plus size={15} aria-hidden />
              {t('entity.new')}
            </Button>
          </>
        }
      />
      <ReadOnly id={id} shows="entities" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-5 py-2">
        <TypeFacets
          types={gone ? undefined : facets.data?.types}
          chosen={address.types ?? []}
          onChange={(types) => change({ types: types.length > 0 ? types : undefined })}
        />
        <Conditions where={address.where ?? []} facets={facets.data} onChange={(where) => change({ where })} />
      </div>
      {gone ? (
        <div className="p-3">
          <CollectionProblem error={collection.error} retry={collection.refetch} />
        </div>
      ) : (
        (rows.error ?? facets.error) && (
          <div className="p-3">
            <Problem error={rows.error ?? facets.error} retry={retry} />
          </div>
        )
      )}
      {rows.total === 0 &&
        (isFiltered ? (
          <EmptyState icon={SearchX} title={t('table.nothing')}>
            <Button onClick={() => change({ types: undefined, where: undefined })}>{t('table.showAll')}</Button>
          </EmptyState>
        ) : (
          <EmptyState icon={Inbox} title={t('table.empty')}>
            <p>{t('table.emptyAbout')}</p>
            <Button look="main" onClick={() => setCreating(true)}>
              <FilePlus2 size={15} aria-hidden />
              {t('entity.new')}
            </Button>{' '}
            <Link to="/import" search={{ collection: id }} className={buttonClasses()}>
              <FileUp size={15} aria-hidden />
              {t('import.start')}
            </Link>
          </EmptyState>
        ))}
      <div className={rows.total === 0 ? 'hidden' : 'flex min-h-60 flex-1 flex-col'}>
        <EntityTable
          wanted={wanted}
          columns={columns ?? []}
          sort={address.sort ? { column: address.sort, descending: address.order === 'desc' } : null}
          onSort={sort}
          onSelectAll={all.start}
          onSelectStretch={all.add}
          selection={selection}
          mark={mark}
          onActive={put}
          onOpen={open}
          onRows={onRows}
        />
      </div>
      {(selection.size > 0 || selection.changed > 0 || all.reading || all.error) && (
        <SelectionBar
          selection={selection}
          total={rows.total ?? 0}
          all={all}
          onEdit={() => setEditing(selection)}
          onExport={exported}
        />
      )}
      <BulkDialog
        collection={id}
        selection={editing ?? selection}
        properties={(facets.data?.properties ?? []).map(({ name }) => name)}
        open={editing !== null}
        onClose={() => setEditing(null)}
      />
      <NewEntity
        collection={id}
        types={(facets.data?.types ?? []).map(({ type }) => type)}
        open={creating}
        onClose={() => setCreating(false)}
      />
    </>
  );
}

function withRow(row: TableRow | undefined, run: (row: TableRow) => void): void {
  if (row) run(row);
}
