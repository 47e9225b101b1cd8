import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isEntityId } from '../../api/entity-id.ts';
import { useTexts } from '../../messages/texts.tsx';
import { previewQuery } from '../entity/entity-queries.ts';
import { tokenize } from './language/tokens.ts';

/** What the ids of a query are called, since nobody knows them by heart. */
export function NamedIds({ query }: { query: string }) {
  const { t } = useTexts();
  const ids = [
    ...new Set(
      tokenize(query)
        .tokens.filter(({ kind }) => kind === 'id')
        .map(({ from, to }) => query.slice(from, to).replace('@', '')),
    ),
  ].filter(isEntityId);
  const found = useQueries({ queries: ids.slice(0, 10).map((id) => previewQuery(id)) });
  const named = found.flatMap(({ data }) => (data ? [data] : []));
  if (named.length === 0) return null;
  return (
    <ul aria-label={t('argo.ids')} className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-quiet">
      {named.map(({ id, label, type }) => (
        <li key={id} className="flex max-w-full min-w-0 items-baseline gap-1.5">
          <code className="shrink-0 font-mono">
            @{id.slice(0, 4)}…{id.slice(-4)}
          </code>
          <Link to="/entities/$id" params={{ id }} className="min-w-0 truncate text-ink hover:underline">
            <bdi>{label.slice(0, 200) || t('entity.noLabel')}</bdi>
          </Link>
          <bdi className="max-w-24 truncate">{type.slice(0, 100)}</bdi>
        </li>
      ))}
    </ul>
  );
}
