/** What a run may change before somebody has to agree: a fifth of what is mirrored, and 50 entities in any case. */
const share = 0.2;
const always = 50;

/** Whether so many changes, of so many entities that are known here and there, are more than a run makes by itself. */
export function brakes(changes: number, known: number): boolean {
  return changes > always && changes > share * known;
}

/** How to go on, for whoever has looked. */
export function agreement(remote: string): string {
  return `Look at it with "archeion sync ${remote} --dry-run"; if it is right: archeion sync ${remote} --accept-large-change.`;
}
