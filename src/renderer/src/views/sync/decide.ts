import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { Content } from '../entity/model/content.ts';
import type { OpenConflict } from './sync-queries.ts';

/** One of the two sides where they cannot be put together, or what the entity is to say. */
export type Decision = { side: 'ours' | 'theirs' } | { content: Content };

/** Decides a conflict over the versions that were looked at. @throws Failure of kind `conflict` where one has moved */
export function useDecide({ id, remote, sides }: OpenConflict) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ decision, note }: { decision: Decision; note: string }) =>
      answered(
        api.POST('/node/conflicts/{id}/resolve', {
          params: { path: { id }, query: { remote } },
          body: {
            ...('side' in decision
              ? { resolution: decision.side }
              : {
                  resolution: 'merged' as const,
                  properties: decision.content.properties,
                  relationships: decision.content.relationships,
                }),
            ...(sides.ours.cid === null ? {} : { expect_tip: sides.ours.cid }),
            ...(sides.theirs.cid === null ? {} : { expect_theirs: sides.theirs.cid }),
            ...(note.trim() ? { note: note.trim() } : {}),
          },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['sync', 'conflicts'] });
      void queries.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) => first !== 'sync' || second !== 'conflict',
      });
    },
  });
}
