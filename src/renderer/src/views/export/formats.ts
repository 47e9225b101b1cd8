/** The forms in which things leave the node, the one that keeps everything first. */
export const formats = ['car', 'bagit', 'ro-crate', 'ndjson', 'csv'] as const;

export type Format = (typeof formats)[number];

/** What stands in the browser's history beside the address: a selection may be too long for it. */
export interface Selected {
  selected?: string[];
  /** The collection whose table was filtered where nothing of it was selected. */
  filtered?: string;
}

/** What the address of the screen says. */
export interface ExportAddress {
  collection?: string;
  format?: Format;
  history?: 'all' | 'tip';
}

export function exportAddress({ collection, format, history }: Record<string, unknown>): ExportAddress {
  return {
    ...(typeof collection === 'string' && collection !== '' ? { collection } : {}),
    ...(formats.includes(format as Format) ? { format: format as Format } : {}),
    ...(history === 'tip' ? { history } : {}),
  };
}
