import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../messages/texts.tsx';
import { permissionsQuery } from '../members/members-queries.ts';
import { syncStateQuery } from '../sync/state-query.ts';

/**
 * Whether it is known of what is shown that it may only be read. So it is with some of what comes from a remote: where there is
 * none, nobody is asked.
 */
export function useReadOnly(id: string, shows: Shown): boolean {
  const hasRemotes = (useQuery(syncStateQuery).data?.remotes.length ?? 0) > 0;
  // A role ends by the clock, and a key comes and goes elsewhere: no version tells of either.
  const { data } = useQuery({ ...permissionsQuery(id), enabled: hasRemotes, refetchInterval: 10_000 });
  return data !== undefined && !data.allowed_actions.some((action) => writes[shows].test(action));
}

/** Says that what is shown may only be read, before somebody types what would be refused. */
export function ReadOnly({ id, shows }: { id: string; shows: Shown }) {
  const { t } = useTexts();
  if (!useReadOnly(id, shows)) return null;
  return (
    <p role="note" className="border-b border-line bg-warning-soft px-5 py-2">
      {t('entity.readOnly')}{' '}
      <Link to="/sync" className="text-accent underline">
        {t('sync.title')}
      </Link>
    </p>
  );
}

type Shown = 'entities' | 'entity' | 'collection';

/**
 * What changes what is shown: the entities of a collection, of which more may be made also where those that are there stay as they are,
 * or one entity; a collection is changed by actions of its own. To make another collection everybody may.
 */
const writes: Record<Shown, RegExp> = {
  entities: /^(?!collection:create$).+:(?:create|update|delete)$/,
  entity: /:(?:update|delete)$/,
  collection: /^collection:(?:update|delete|manage)$/,
};
