/** The members by which a version says that its entity is deleted, whoever wrote it. */
export interface Mortal {
  deleted?: unknown;
  schema?: unknown;
  properties?: unknown;
  relationships?: unknown;
}

/**
 * Whether a version marks its entity as deleted (decisions.md, Sync): it says so, as a node's does, or by the name of its schema
 * (`arke/eidos-deleted@v1`), or it has neither properties nor relationships, of which every other version has both.
 */
export function isTombstone({ deleted, schema, properties, relationships }: Mortal): boolean {
  if (deleted === true || (properties === undefined && relationships === undefined)) return true;
  return typeof schema === 'string' && /[/-]deleted(@|$)/.test(schema);
}
