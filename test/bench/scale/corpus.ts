import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Contributor, type Subject, type TateShape, tateWorks, type Work, type Works } from './tate-shape.ts';

/** The share of artists and subjects that are hubs: these grow with the works, however many there are. */
const hubs = 0.01;
/** Ids of one copy and of the next are so far apart. */
const apart = 10_000_000;

/**
 * Writes records of works, one a line, that become about so many entities: of the shape of the Tate's collection, and the
 * same in every run. Fewer than the Tate has are works taken evenly from it, with the artists and subjects that most works
 * name standing for the others; more are its works again and again under other titles, by other artists and of other
 * subjects, but for the busiest hundredth of these, which all share. So the works of a hub are always the same part of all.
 */
export async function writeCorpus(
  shape: TateShape,
  entities: number,
  file: string,
  works: Works = tateWorks,
): Promise<void> {
  const size = entities / shape.entities;
  const lines = size < 1 ? lessLines(shape, size, works) : moreLines(shape, size, works);
  await pipeline(Readable.from(lines), createWriteStream(file));
}

async function* lessLines(shape: TateShape, size: number, works: Works): AsyncGenerator<string> {
  const standing = standIn(shape.artists, size);
  const leaf = standIn(shape.leaves, size);
  const artist = (one: Contributor): Contributor => {
    const { id, fc, mda } = standing(one);
    return { ...one, id, fc, mda };
  };
  for await (const work of part(works, size)) yield line(work, { artist, leaf });
}

/** So large a part of the works, taken evenly from all of them. */
async function* part(works: Works, share: number): AsyncGenerator<Work> {
  let at = 0;
  for await (const work of works()) {
    at++;
    if (Math.floor(at * share) > Math.floor((at - 1) * share)) yield work;
  }
}

/** Those that most works name stand for the others. */
function standIn<T extends { id: number }>(ranked: readonly T[], size: number): (one: T) => T {
  const ranks = new Map(ranked.map(({ id }, rank) => [id, rank]));
  const kept = Math.ceil(ranked.length * size);
  return ({ id }) => ranked[(ranks.get(id) ?? 0) % kept] as T;
}

async function* moreLines(shape: TateShape, size: number, works: Works): AsyncGenerator<string> {
  const shared = {
    artists: new Set(shape.artists.slice(0, shape.artists.length * hubs).map(({ id }) => id)),
    leaves: new Set(shape.leaves.slice(0, shape.leaves.length * hubs).map(({ id }) => id)),
  };
  for (let copy = 0; copy < size; copy++)
    for await (const work of part(works, Math.min(1, size - copy)))
      yield copy === 0 ? `${JSON.stringify(work)}\n` : line(another(work, copy, shape), namesOf(copy, shape, shared));
}

/** The same work under another title. */
function another(work: Work, copy: number, { titles }: TateShape): Work {
  const title = [...firstHalf(work.title ?? ''), ...lastHalf(pick(titles, work.id, copy))].join(' ');
  return { ...work, acno: `${work.acno}-${copy}`, id: work.id + copy * apart, title };
}

function namesOf(
  copy: number,
  { artists, leaves }: TateShape,
  shared: { artists: ReadonlySet<number>; leaves: ReadonlySet<number> },
): Names {
  return {
    artist: (one) => {
      if (shared.artists.has(one.id)) return one;
      const [last = '', first] = one.mda.split(', ');
      const surname = blend(last, pick(artists, one.id, copy).mda.split(', ')[0] ?? '');
      const mda = first === undefined ? surname : `${surname}, ${first}`;
      return { ...one, id: one.id + copy * apart, mda, fc: first === undefined ? surname : `${first} ${surname}` };
    },
    leaf: (one) => {
      if (shared.leaves.has(one.id)) return one;
      const other = pick(leaves, one.id, copy).name;
      return { ...one, id: one.id + copy * apart, name: [...firstHalf(one.name), ...lastHalf(other)].join(' ') };
    },
  };
}

interface Names {
  artist: (one: Contributor) => Contributor;
  leaf: (one: Subject) => Subject;
}

function line(work: Work, { artist, leaf }: Names): string {
  const contributors = distinct((work.contributors ?? []).map(artist));
  const named = (subject: Subject): Subject =>
    subject.children?.length ? { ...subject, children: distinct(subject.children.map(named)) } : leaf(subject);
  return `${JSON.stringify({
    ...work,
    all_artists: contributors.map(({ fc }) => fc).join(', '),
    contributors,
    ...(work.subjects && { subjects: named(work.subjects) }),
  })}\n`;
}

function distinct<T extends { id: number }>(list: readonly T[]): T[] {
  return [...new Map(list.map((one) => [one.id, one])).values()];
}

/** One of a list, another one for each number and copy. */
function pick<T>(list: readonly T[], number: number, copy: number): T {
  const mixed = (Math.imul(number + 1, 2654435761) + Math.imul(copy, 40503)) >>> 0;
  return list[mixed % list.length] as T;
}

function firstHalf(text: string): string[] {
  const words = text.split(' ');
  return words.slice(0, Math.ceil(words.length / 2));
}

function lastHalf(text: string): string[] {
  const words = text.split(' ');
  return words.slice(Math.floor(words.length / 2));
}

function blend(a: string, b: string): string {
  return a.slice(0, Math.ceil(a.length / 2)) + b.slice(Math.floor(b.length / 2));
}
