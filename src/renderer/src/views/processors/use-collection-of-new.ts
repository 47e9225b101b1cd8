import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionsFound } from '../collections/collections-query.ts';

interface CollectionOfNew {
  collection: string | undefined;
  choose(id: string): void;
  /** Whether it is not known yet: what is sent meanwhile would have none. */
  isPending: boolean;
}

/**
 * The collection that something new is put into, until one is chosen: the node's own that was first in the list and, if there is
 * one, is of no job, whose processors may write there.
 */
export function useCollectionOfNew(): CollectionOfNew {
  const [chosen, choose] = useState<string>();
  const { data, isPending } = useQuery(collectionsFound(''));
  // The node's own stand first, those of jobs last.
  const usual = data?.collections.find(({ mirror }) => mirror === null)?.id;
  // What was offered stays, whatever else is first in the list when it is asked for again.
  if (chosen === undefined && usual !== undefined) choose(usual);
  return { collection: chosen ?? usual, choose, isPending };
}
