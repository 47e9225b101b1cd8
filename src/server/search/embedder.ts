/** What is made a vector of. */
export interface Passage {
  /** An entity's label, or all of a query. */
  title: string;
  text: string;
}

/** What makes vectors of texts. Texts that mean the same have vectors that point the same way. */
export interface Embedder {
  /** Another name for whatever makes other vectors. */
  readonly name: string;
  readonly dimensions: number;
  /** A vector of length 1 for each, in their order; null for what it knows nothing about. */
  embed(passages: readonly Passage[]): (Float32Array | null)[] | Promise<(Float32Array | null)[]>;
}

/** The embedder that learns from the node's own texts. */
export const builtin = 'builtin';
