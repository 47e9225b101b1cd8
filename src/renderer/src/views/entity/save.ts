import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { settleDraft } from './draft.ts';
import { type Entity, entityQuery, giveUpFetching } from './entity-queries.ts';
import { type Content, leadsToNothingNew, updateBetween } from './model/content.ts';

export interface Saving {
  /** The version that the content was made from. */
  tip: string;
  base: Content;
  content: Content;
  note: string;
}

/** Saves what changed as a new version. @throws Failure of kind `conflict` where the tip is another one by now */
export function useSave(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ tip, base, content, note }: Saving) => {
      const update = updateBetween(base, content);
      const validate_relationships = leadsToNothingNew(base, update) ? 'false' : 'true';
      const saved = await answered<Entity>(
        api.PUT('/entities/{id}', {
          params: { path: { id }, query: { validate_relationships } },
          body: { expect_tip: tip, ...update, ...(note.trim() ? { note: note.trim() } : {}) },
        }),
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
