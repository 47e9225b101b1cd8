import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../messages/texts.tsx';
import { remotesQuery } from '../sync/sync-queries.ts';
import { previewQuery } from './entity-queries.ts';

/**
 * What an entity at the other end is called: by its stored copy, else as the node knows it, else its id; none is who made a
 * version of another program that does not say.
 */
export function PeerName({ id, label }: { id: string; label?: string | undefined }) {
  const { t } = useTexts();
  const { data } = useQuery({ ...previewQuery(id), enabled: !label && id !== '' });
  // What the operator writes into a mirror is by the user of the remote's key, whom the node need not hold.
  const { data: known } = useQuery({
    ...remotesQuery,
    staleTime: 60_000,
    refetchInterval: false,
    enabled: data === null,
  });
  const mine = data === null ? known?.remotes.find(({ user }) => user === id) : undefined;
  const name = label || data?.label || (mine && t('entity.youAt', { remote: mine.name })) || id;
  return <bdi>{(name || t('entity.unknownAuthor')).slice(0, 300)}</bdi>;
}
