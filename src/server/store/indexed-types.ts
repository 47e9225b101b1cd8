/** The types of entities that the index `entity_type` has. */
export const indexedTypes: readonly string[] = ['collection', 'user', 'agent', 'klados', 'rhiza'];

/**
 * The index's own condition, over the column `type` of `entity`: SQLite takes a partial index only where that stands in the query,
 * and it does not see that `type = 'collection'` says as much.
 */
export const inTypeIndex = `type IN (${indexedTypes.map((type) => `'${type}'`).join(', ')})`;
