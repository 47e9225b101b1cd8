import { setImmediate } from 'node:timers/promises';

const costPerTurn = 128 * 1024;
const costPerStep = 2048;

/** Lets the event loop turn now and then within a long run of short steps, so that none holds it for over a few ms. */
export class Pace {
  private spent = 0;

  /** Counts a step over so many bytes; true when it is time to `await turn()`. */
  step(bytes: number): boolean {
    this.spent += bytes + costPerStep;
    if (this.spent < costPerTurn) return false;
    this.spent = 0;
    return true;
  }
}

/** Resolves when everything that waits on the event loop has had its turn. */
export function turn(): Promise<void> {
  return setImmediate();
}
