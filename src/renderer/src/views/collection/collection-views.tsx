import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useCommands } from '../../commands/commands.ts';
import { screenLink } from '../../components/screen-link.ts';
import { useTexts } from '../../messages/texts.tsx';

const views = [
  { to: '/collections/$id', label: 'collection.entities', keys: 'g e' },
  { to: '/collections/$id/members', label: 'members.title', keys: 'g m' },
  { to: '/collections/$id/deleted', label: 'entity.deleted', keys: 'g d' },
] as const;

/** The screens of one collection, and the keys that lead from each to the others. */
export function CollectionViews({ id }: { id: string }) {
  const { t } = useTexts();
  const go = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const others = views.filter(({ to }) => !path.endsWith(to.replace('$id', id)));
  useCommands(
    others.map(({ to, label, keys }) => ({
      id: `go ${to}`,
      label: t(label),
      group: t('collection.views'),
      keys: [keys],
      run: () => void go({ to, params: { id } }),
    })),
  );
  return (
    <nav aria-label={t('collection.views')} className="flex flex-wrap gap-1">
      {views.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ id }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={screenLink}
        >
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}
