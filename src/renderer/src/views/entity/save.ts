import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { settleDraft } from './draft.ts';
import { entityQuery, giveUpFetching } from './entity-queries.ts';
import { type Content, leadsToNothingNew } from './model/content.ts';
import { writeUpdates } from './write-updates.ts';

export interface Saving {
  /** The version that the content was made from. */
  tip: string;
  base: Content;
  content: Content;
  note: string;
}

/** Saves what changed as a new version (`stepsBetween`: or two). @throws Failure of kind `conflict` where the tip is another one */
export function useSave(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ tip, base, content, note }: Saving) => {
      const saved = await writeUpdates(id, tip, { base, next: content }, note.trim(), (update) =>
        leadsToNothingNew(base, update),
      );
      await giveUpFetching(queries, id);
      return saved;
    },
    onSuccess: (saved, { content, note }) => {
      // Together, so that the page never shows the new version with the old draft, or the old one without it.
      notifyManager.batch(() => {
        queries.setQueryData(entityQuery(id).queryKey, saved);
        notifyManager.schedule(() => settleDraft(saved, content, note));
      });
      void queries.invalidateQueries({ queryKey: ['history', id] });
      void queries.invalidateQueries({ queryKey: ['table'] });
    },
  });
}
