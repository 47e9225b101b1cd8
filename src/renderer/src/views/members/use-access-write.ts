import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { toast } from '../../components/toasts.tsx';
import { type AccessChange, accessChanges, type CollectionNow } from './access.ts';
import { fetchCollection } from './members-queries.ts';

type Update = Omit<components['schemas']['UpdateCollectionBody'], 'expect_tip'>;

/**
 * A change of roles or members that holds only for what was looked at: the collection as it was when the dialog opened.
 * Where somebody else was quicker nothing is written, `overtaken` says what they did, and `again` decides with that known.
 * `said`: what was done, in words. `onClose` is told where the dialog that asked is open still: another one may be by then.
 */
export function useAccessWrite(collection: CollectionNow, { said, onClose }: { said(): string; onClose(): void }) {
  const queries = useQueryClient();
  // Not what has been fetched since: it was not looked at.
  const [seen] = useState(collection);
  const [overtaken, setOvertaken] = useState<{ now: CollectionNow; changes: AccessChange[] } | null>(null);
  const write = useMutation({
    mutationFn: async ({ update, from }: { update: Update; from: CollectionNow }) => {
      const { id, cid: expect_tip } = from;
      try {
        await answered(api.PUT('/collections/{id}', { params: { path: { id } }, body: { expect_tip, ...update } }));
      } catch (error) {
        if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
        const now = await answered<CollectionNow>(fetchCollection(id));
        setOvertaken({ now, changes: accessChanges(seen, now) });
        throw error;
      }
    },
    onError: () => void queries.invalidateQueries({ queryKey: ['member-names', seen.id] }),
    onSuccess: () => {
      toast(said());
      void queries.invalidateQueries();
    },
  });
  return {
    collection: seen.id,
    error: write.error,
    isPending: write.isPending,
    overtaken: write.error instanceof Failure && write.error.kind === 'conflict' ? overtaken : null,
    save: (update: Update) => write.mutate({ update, from: seen }, { onSuccess: onClose }),
    again: (update: Update) => write.mutate({ update, from: overtaken?.now ?? seen }, { onSuccess: onClose }),
  };
}

export type AccessWrite = ReturnType<typeof useAccessWrite>;
