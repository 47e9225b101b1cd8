/** A query that cannot be read. `position` is 0-based, in UTF-16 code units of the query (argo.md 1.3). */
export class ArgoSyntaxError extends Error {
  override readonly name = 'ArgoSyntaxError';
  readonly position: number;

  constructor(problem: string, position: number) {
    super(`${problem} at position ${position}`);
    this.position = position;
  }
}
