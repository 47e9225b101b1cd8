import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../../components/page-head.tsx';
import { screenLink } from '../../components/screen-link.ts';
import { useTexts } from '../../messages/texts.tsx';
import { syncStateQuery } from './state-query.ts';

/** The head of the sync screens, with the ways between them. */
export function SyncHead({
  title,
  above,
  about,
  actions,
}: {
  title?: string;
  above?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
}) {
  const { t, number } = useTexts();
  const { data } = useQuery(syncStateQuery);
  return (
    <PageHead
      title={title ?? t('sync.title')}
      above={above}
      about={about}
      actions={
        <>
          <nav aria-label={t('sync.views')} className="flex gap-1">
            <Link to="/sync" activeOptions={{ exact: true, includeSearch: false }} className={screenLink}>
              {t('sync.remotes')}
            </Link>
            <Link to="/sync/conflicts" activeOptions={{ includeSearch: false }} className={screenLink}>
              {t('sync.conflicts')}
              {data !== undefined && data.conflicts > 0 && (
                <span className="rounded-full bg-warning-soft px-1.5 text-xs text-warning tabular-nums">
                  {number(data.conflicts)}
                </span>
              )}
            </Link>
            <Link to="/sync/log" activeOptions={{ includeSearch: false }} className={screenLink}>
              {t('sync.log')}
            </Link>
          </nav>
          {actions}
        </>
      }
    />
  );
}
