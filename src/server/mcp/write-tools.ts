import { z } from 'zod';
import { type Tool, tool } from '../chat/tools.ts';
import { isEntityId } from '../model/ids.ts';
import { jsonMap } from '../model/json-map.ts';
import type { EntitiesService } from '../resources/entities/service.ts';

/** What writing tools use of the node. */
export interface WritingOperations {
  entities: Pick<EntitiesService, 'create' | 'update'>;
}

const id = z.string().refine(isEntityId, 'must be an entity id');
const note = z.string().max(2000).optional().describe('Why; kept with the version');
const properties = jsonMap.optional();
const predicate = z.string().min(1).max(50);
/** What other programs wrote need be no id, and goes all the same. */
const storedPeer = z.string().min(1).describe('The id of the other entity; without it all of that predicate go');
const relationships = z
  .array(z.strictObject({ predicate, peer: id.describe('The id of the other entity'), properties }))
  .max(100)
  .optional();

/** Tools that change entities, under the permissions of whoever uses them. */
export function writeTools({ entities }: WritingOperations): Tool[] {
  return [
    tool(
      'create_entity',
      'Make an entity. `properties.label` is its name in lists. Answers with its id and the CID of its version.',
      z.object({
        type: z.string().min(1).max(100).describe('A free name, as document or person'),
        properties: properties.describe('What is stored of it'),
        relationships,
        collection: id.optional().describe('The id of the collection to lie in'),
        note,
      }),
      async (caller, body) => {
        const { manifest } = await entities.create(caller, body, true);
        return { value: { id: manifest.id, cid: manifest.cid, ver: manifest.ver } };
      },
    ),
    tool(
      'update_entity',
      'Change an entity: properties are merged into what is there. `expect_tip` is the CID that get_entity gave; when ' +
        'somebody else has changed the entity since, nothing is done.',
      z.object({
        id,
        expect_tip: z.string().min(1).max(200).describe('The CID of the version that the change was made from'),
        properties: properties.describe('Values to set; objects are merged, everything else is replaced'),
        properties_remove: z.array(z.string().max(200)).max(100).optional().describe('Names of properties to drop'),
        relationships_add: relationships,
        relationships_remove: z
          .array(z.strictObject({ predicate: z.string().min(1), peer: storedPeer.optional() }))
          .max(100)
          .optional(),
        note,
      }),
      async (caller, { id: one, ...body }) => {
        const manifest = await entities.update(caller, one, body, true);
        return { value: { id: manifest.id, cid: manifest.cid, ver: manifest.ver } };
      },
    ),
  ];
}
