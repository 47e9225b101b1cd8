import { ArrowRight, CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { components } from '../../../api/schema.d.ts';
import { NodeSaid } from '../../../components/node-said.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useTexts } from '../../../messages/texts.tsx';

type Preview = components['schemas']['ImportPreviewView'];
type Entity = components['schemas']['PreviewEntityView'];

const shownProperties = 12;
const shownRefused = 8;

/** The first records as the entities that they would be, and what is wrong with those that can be none. */
export function PreviewPanel({
  preview,
  whole,
  error,
  children,
}: {
  preview: Preview | undefined;
  whole: boolean;
  error: unknown;
  /** What decides how the file is read. */
  children: ReactNode;
}) {
  const { t, number } = useTexts();
  const refused = preview?.rows.filter(({ issues }) => issues.length > 0) ?? [];
  const good = preview?.rows.filter(({ issues }) => issues.length === 0) ?? [];
  return (
    <div className="space-y-3 p-4">
      <h2 id="import-preview" className="text-base font-semibold">
        {t('import.preview')}
      </h2>
      {children}
      {error !== null && error !== undefined && <Problem error={error} />}
      {preview && (
        <p role="status" className="text-quiet">
          {t(whole ? 'import.recordsWhole' : 'import.recordsSample', {
            count: preview.records,
            number: number(preview.records),
          })}{' '}
          {preview.refused > 0 && (
            <span className="text-danger">
              {t('import.refusedOf', { count: preview.refused, number: number(preview.refused) })}
            </span>
          )}
        </p>
      )}
      {preview?.issues.map(({ message }) => (
        <p key={message} role="alert" className="rounded-md border border-danger/40 bg-danger-soft p-3 break-words">
          <span className="font-medium">{t('import.unreadable')}</span> <NodeSaid said={message} />
        </p>
      ))}
      {refused.length > 0 && (
        <ul
          aria-label={t('import.refusedRows')}
          className="space-y-1 rounded-md border border-danger/40 bg-danger-soft p-3"
        >
          {refused.slice(0, shownRefused).map(({ place, issues }) => (
            <li key={place} className="flex gap-2 break-words">
              <CircleAlert size={15} className="mt-0.5 shrink-0 text-danger" aria-hidden />
              <ul className="min-w-0">
                {issues.map(({ message }) => (
                  <li key={message}>
                    <NodeSaid said={message} />
                  </li>
                ))}
              </ul>
            </li>
          ))}
          {preview && preview.refused > shownRefused && (
            <li className="text-quiet">{t('list.andMore', { number: number(preview.refused - shownRefused) })}</li>
          )}
        </ul>
      )}
      <ol className="space-y-3">
        {good.map(({ place, entities }) => (
          <li key={place} className="rounded-lg border border-line bg-surface">
            {entities.slice(0, 1).map((entity) => (
              <EntityCard key={entity.id} entity={entity} place={place} />
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

function EntityCard({ entity, place }: { entity: Entity; place: string }) {
  const { t } = useTexts();
  const { type, properties, relationships, standing } = entity;
  const { label, ...others } = properties;
  const listed = Object.entries(others);
  return (
    <article className="p-3">
      <header className="flex items-baseline gap-2">
        <h3 className="min-w-0 flex-1 truncate font-semibold">
          <bdi>{typeof label === 'string' && label ? label : t('entity.noLabel')}</bdi>
        </h3>
        {standing && standing !== 'new' && (
          <span className="rounded-full bg-warning-soft px-2 text-xs text-warning">
            {t(`import.standing.${standing}`)}
          </span>
        )}
        <bdi className="rounded-full bg-sunken px-2 text-xs text-quiet">{type}</bdi>
      </header>
      <p className="mb-2 text-xs text-quiet">
        <NodeSaid said={place} />
      </p>
      <dl className="grid grid-cols-[minmax(5rem,9rem)_minmax(0,1fr)] gap-x-3 gap-y-0.5">
        {listed.slice(0, shownProperties).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="truncate text-quiet">
              <bdi>{name}</bdi>
            </dt>
            <dd className="flex min-w-0 items-baseline gap-2">
              <bdi className="min-w-0 truncate">{shown(value)}</bdi>
              {typeof value !== 'string' && value !== null && (
                <span className="shrink-0 text-xs text-quiet">{t(kindOf(value))}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {listed.length > shownProperties && (
        <p className="mt-1 text-xs text-quiet">
          {t('import.moreProperties', { count: listed.length - shownProperties })}
        </p>
      )}
      {relationships.length > 0 && (
        <ul className="mt-2 space-y-0.5 border-t border-line pt-2">
          {relationships.slice(0, shownProperties).map(({ predicate, peer, peer_label, peer_type }) => (
            <li key={`${predicate} ${peer}`} className="flex min-w-0 items-center gap-1.5">
              <span className="text-quiet">{predicate}</span>
              <ArrowRight size={13} className="shrink-0 text-quiet" aria-hidden />
              <bdi className="min-w-0 truncate">{peer_label ?? peer}</bdi>
              <bdi className="max-w-40 shrink-0 truncate text-xs text-quiet">{peer_type}</bdi>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function kindOf(value: unknown) {
  if (typeof value === 'number') return 'kind.number';
  if (typeof value === 'boolean') return 'kind.boolean';
  return Array.isArray(value) ? 'kind.list' : 'kind.object';
}
