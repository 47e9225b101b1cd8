import { Link } from '@tanstack/react-router';
import { Moment } from '../../components/moment.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import { isArchive, type OpenConflict } from './sync-queries.ts';

type Version = OpenConflict['sides']['ours'];

/** Which versions stand against each other, from whom, and when they were made. */
export function SideFacts({ conflict: { id, remote, sides } }: { conflict: OpenConflict }) {
  const { t } = useTexts();
  const there = isArchive(remote) ? t('sync.archive') : remote;
  const columns: [string, Version | null][] = [
    [t('merge.base'), sides.base],
    [`${t('merge.mine')} · ${t('collections.ofThisNode')}`, sides.ours],
    [`${t('merge.theirs')} · ${there}`, sides.theirs],
  ];
  return (
    <dl className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      {columns.map(([name, version]) => (
        <div key={name} className="min-w-0 rounded-md border border-line bg-surface px-3 py-2">
          <dt className="font-medium [overflow-wrap:anywhere]">
            <bdi>{name}</bdi>
          </dt>
          <dd className="text-quiet">
            {version === null ? (
              t('sync.noBase')
            ) : (
              <>
                {version.cid === null ? (
                  t('entity.version', { ver: version.ver })
                ) : (
                  <Link
                    to="/entities/$id/history"
                    params={{ id }}
                    search={{
                      to: version.cid,
                      ...(sides.base?.cid && version !== sides.base ? { from: sides.base.cid } : {}),
                    }}
                    className="underline hover:text-ink"
                  >
                    {t('entity.version', { ver: version.ver })}
                  </Link>
                )}{' '}
                · <Moment at={version.ts} />
                <span className="block truncate">
                  <PeerName id={version.edited_by} />
                  {sides.ours.type !== sides.theirs.type && (
                    <>
                      {' · '}
                      <bdi>{version.type}</bdi>
                    </>
                  )}
                  {version.deleted && ` · ${t('entity.deleted')}`}
                </span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
