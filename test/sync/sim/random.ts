import { seeded } from '../../helpers/seeded.ts';

/** A seeded source of chance. */
export class Random {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = seeded(seed);
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
}
