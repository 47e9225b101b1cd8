import { useQuery } from '@tanstack/react-query';
import { previewQuery } from './entity-queries.ts';

/** What an entity at the other end is called: by its stored copy, else as the node knows it, else its id. */
export function PeerName({ id, label }: { id: string; label?: string | undefined }) {
  const { data } = useQuery({ ...previewQuery(id), enabled: !label });
  return <bdi>{(label || data?.label || id).slice(0, 300)}</bdi>;
}
