/** What becomes of a file: entities of its records, what an archive has, or a file of an entity. */
export type FileKind = 'records' | 'archive' | 'other';

/** By its name's ending, also packed with gzip. */
export function kindOfFile(name: string): FileKind {
  if (/\.(ndjson|jsonl|json|csv)(\.gz)?$/i.test(name)) return 'records';
  return /\.(car|zip)$/i.test(name) ? 'archive' : 'other';
}
