import { createReadStream } from 'node:fs';
import { readRecords } from '../../../src/server/exchange/records.ts';
import { tateFile } from '../measures/tate.ts';

/** A person as a work's record names them. */
export interface Contributor {
  id: number;
  fc: string;
  mda: string;
}

/** A node of a work's tree of subjects. */
export interface Subject {
  id: number;
  name: string;
  children?: Subject[];
}

/** What of a work's record is made anew; the rest stays as it is. */
export interface Work {
  acno: string;
  id: number;
  title: string | null;
  all_artists: string;
  contributors?: Contributor[];
  subjects?: Subject;
}

/** Whom and what the Tate's works name, those first that most works name. */
export interface TateShape {
  /** Everything that becomes an entity. */
  entities: number;
  artists: Contributor[];
  /** Subjects that none lie below; what lies above them is few and in every work. */
  leaves: Subject[];
  titles: string[];
}

/** The Tate's works in the order of their file. */
export async function* tateWorks(): AsyncGenerator<Work> {
  for await (const { record } of readRecords(createReadStream(tateFile), tateFile)) yield record as unknown as Work;
}

/** Works in the order of their file, from the first on each time. */
export type Works = () => AsyncIterable<Work>;

export function leavesOf(subject: Subject | undefined): Subject[] {
  if (!subject) return [];
  return subject.children?.length ? subject.children.flatMap(leavesOf) : [subject];
}

/** Reads the works once. */
export async function tateShape(works: Works = tateWorks): Promise<TateShape> {
  const artists = new Tally<Contributor>();
  const leaves = new Tally<Subject>();
  const others = new Set<string>();
  const titles: string[] = [];
  for await (const work of works()) {
    titles.push(work.title ?? '');
    for (const contributor of work.contributors ?? []) artists.add(contributor);
    for (const leaf of leavesOf(work.subjects)) leaves.add(leaf);
    for (const name of othersOf(work)) others.add(name);
  }
  const [most, lowest] = [artists.ranked(), leaves.ranked()];
  return {
    entities: titles.length + most.length + lowest.length + others.size,
    artists: most,
    leaves: lowest,
    titles,
  };
}

/** Movements, and subjects that others lie below. */
function othersOf(work: Work & { movements?: { id: number }[] }): string[] {
  const above = (subject: Subject): Subject[] =>
    subject.children?.length ? [subject, ...subject.children.flatMap(above)] : [];
  // The root itself becomes no entity.
  const subjects = work.subjects ? above(work.subjects).slice(1) : [];
  return [...(work.movements ?? []).map(({ id }) => `movement ${id}`), ...subjects.map(({ id }) => `subject ${id}`)];
}

class Tally<T extends { id: number }> {
  readonly #counts = new Map<number, { one: T; n: number }>();

  add(one: T): void {
    const known = this.#counts.get(one.id);
    if (known) known.n++;
    else this.#counts.set(one.id, { one, n: 1 });
  }

  ranked(): T[] {
    return [...this.#counts.values()].sort((a, b) => b.n - a.n || a.one.id - b.one.id).map(({ one }) => one);
  }
}
