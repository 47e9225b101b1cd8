/** Rows of pages that are told by an offset, each once: such pages overlap where something came in between. */
export function onceEach<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
