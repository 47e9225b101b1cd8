import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionsQuery } from '../collections/collections-query.ts';

interface CollectionOfNew {
  collection: string | undefined;
  choose(id: string): void;
  /** Whether it is not known yet: what is sent meanwhile would have none. */
  isPending: boolean;
}

/** The collection that something new is put into: the node's own that was first in the list, until one is chosen. */
export function useCollectionOfNew(): CollectionOfNew {
  const [chosen, choose] = useState<string>();
  const { data, isPending } = useQuery(collectionsQuery);
  const usual = data?.collections.find(({ mirror }) => mirror === null)?.id;
  // What was offered stays, whatever else is first in the list when it is asked for again.
  if (chosen === undefined && usual !== undefined) choose(usual);
  return { collection: chosen ?? usual, choose, isPending };
}
