/** What becomes of a file: entities of its records, what an archive has, or a file of an entity. */
export type FileKind = 'records' | 'archive' | 'other';

/** By its name's ending, also packed with gzip. A text (.txt) is kept as the file that it mostly is, though it may be a table. */
export function kindOfFile(name: string): FileKind {
  if (/\.(ndjson|jsonl|json|csv|tsv)(\.gz)?$/i.test(name)) return 'records';
  return /\.(car|zip)$/i.test(name) ? 'archive' : 'other';
}

/** Whether a file is one in which a spreadsheet program keeps its tables. */
export function isWorkbook(name: string): boolean {
  return /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i.test(name);
}
