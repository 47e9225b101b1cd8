import type { JsonObject } from './manifest.ts';

const length = 200;

/** The short form of an entity (wire-contract.md 1.5). */
export interface Preview {
  id: string;
  type: string;
  label: string;
  collection_id?: string;
  /** As `collection_id`. */
  collection_pi?: string;
  description_preview?: string;
  text_preview?: string;
  created_at: string;
  updated_at: string;
}

function shortened(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const characters = [...text.slice(0, 2 * length + 2)];
  return characters.length > length ? `${characters.slice(0, length).join('')}...` : text;
}

/** The preview of an entity: texts cut at 200 characters. */
export function previewOf(
  row: { id: string; type: string; label: string; collection: string | null; created_at: string; updated_at: string },
  properties: JsonObject,
): Preview {
  const description = shortened(properties.description);
  const text = shortened(properties.text);
  return {
    id: row.id,
    type: row.type,
    label: row.label,
    ...(row.collection === null ? {} : { collection_id: row.collection, collection_pi: row.collection }),
    ...(description === undefined ? {} : { description_preview: description }),
    ...(text === undefined ? {} : { text_preview: text }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
