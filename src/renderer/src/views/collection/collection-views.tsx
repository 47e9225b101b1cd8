import { Link } from '@tanstack/react-router';
import { useTexts } from '../../messages/texts.tsx';

const link =
  'rounded-md px-2 py-1 text-quiet hover:bg-sunken data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-ink';

/** The screens of one collection. */
export function CollectionViews({ id }: { id: string }) {
  const { t } = useTexts();
  return (
    <nav aria-label={t('collection.views')} className="flex gap-1">
      <Link
        to="/collections/$id"
        params={{ id }}
        activeOptions={{ exact: true, includeSearch: false }}
        className={link}
      >
        {t('collection.entities')}
      </Link>
      <Link
        to="/collections/$id/members"
        params={{ id }}
        activeOptions={{ exact: true, includeSearch: false }}
        className={link}
      >
        {t('collection.members')}
      </Link>
    </nav>
  );
}
