import { answered, api } from '../../api/client.ts';
import type { Entity } from './entity-queries.ts';
import type { Update } from './model/content.ts';

/**
 * Writes updates one after the other, the first over the version `tip`, each as a version of its own, and gives the last one.
 * `leadsNowhereNew`: whether what an update leads to may be gone. @throws Failure; what was written before stays
 */
export async function writeUpdates(
  id: string,
  tip: string,
  [first, ...others]: readonly [Update, ...Update[]],
  note: string,
  leadsNowhereNew: (update: Update) => boolean,
): Promise<Entity> {
  const write = (expect_tip: string, update: Update) => {
    const validate_relationships = leadsNowhereNew(update) ? 'false' : 'true';
    const params = { path: { id }, query: { validate_relationships } as const };
    return answered<Entity>(
      api.PUT('/entities/{id}', { params, body: { expect_tip, ...update, ...(note && { note }) } }),
    );
  };
  let saved = await write(tip, first);
  for (const update of others) saved = await write(saved.cid, update);
  return saved;
}
