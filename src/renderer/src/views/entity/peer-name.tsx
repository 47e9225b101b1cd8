import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../messages/texts.tsx';
import { previewQuery } from './entity-queries.ts';

/**
 * What an entity at the other end is called: by its stored copy, else as the node knows it, else its id; none is who made a
 * version of another program that does not say.
 */
export function PeerName({ id, label }: { id: string; label?: string | undefined }) {
  const { t } = useTexts();
  const { data } = useQuery({ ...previewQuery(id), enabled: !label && id !== '' });
  return <bdi>{(label || data?.label || id || t('entity.unknownAuthor')).slice(0, 300)}</bdi>;
}
