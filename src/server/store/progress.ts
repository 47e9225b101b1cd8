/** How far a long task has come; `total` where it is known. */
export interface Progress {
  /** What is counted: `versions`, `entities`, `bytes` ... */
  step: string;
  done: number;
  total?: number;
}
