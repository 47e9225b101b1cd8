import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionsQuery } from '../collections/collections-query.ts';

interface CollectionOfNew {
  collection: string | undefined;
  choose(id: string): void;
  /** Whether it is not known yet: what is sent meanwhile would have none. */
  isPending: boolean;
}

/** The collection that something new is put into: the first of the node's own, until one is chosen. */
export function useCollectionOfNew(): CollectionOfNew {
  const [chosen, choose] = useState<string>();
  const { data, isPending } = useQuery(collectionsQuery);
  const usual = data?.collections.find(({ mirror }) => mirror === null)?.id;
  return { collection: chosen ?? usual, choose, isPending };
}
