/** Four bytes for each of the characters that are looked at (model/preview.ts). */
const bytes = 4 * 404;

/**
 * SQL for as much of a property of the entity `e` as a preview shows, null where that is no text. It is cut by its bytes:
 * `substr` takes the character 0 for the end of a text.
 */
export const previewedText = (name: string): string => `CASE json_type(e.json, '$.properties.${name}')
  WHEN 'text' THEN CAST(substr(CAST(json_extract(e.json, '$.properties.${name}') AS BLOB), 1, ${bytes}) AS TEXT) END`;
