import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DiskFile, type Fate, fates } from './disk-file.ts';
import type { Step } from './recording.ts';

/** A folder by its names: those that are on the disk, and those that programs see. */
class DiskFolder {
  readonly stable = new Map<string, Entry>();
  readonly seen = new Map<string, Entry>();
}
type Entry = DiskFile | DiskFolder;

/** A name that came to stand for something, or for nothing any more. A rename is one change, on disk with its new folder. */
interface NameChange {
  folder: DiskFolder;
  name: string;
  entry: Entry | null;
  from?: { folder: DiskFolder; name: string };
}

const nameFates = ['none', 'all', 'in order', 'by folder'] as const;

/**
 * A disk under a folder, as a program's recorded steps leave it: what has been synced is on it, of all else a power cut
 * leaves anything between nothing and everything (docs/faults.md has the rules).
 */
export class Disk {
  readonly #path: string;
  readonly #root = new DiskFolder();
  readonly #inodes = new Map<number, Entry>();
  #names: { number: number; change: NameChange }[] = [];
  #nameCount = 0;
  /** Of each sync that has begun: how far it will have brought things. */
  readonly #syncs = new Map<number, number>();

  /** `path` is the folder that the steps are about; it is there, and empty, at their beginning. */
  constructor(path: string) {
    this.#path = path;
  }

  apply(step: Step): void {
    switch (step.kind) {
      case 'mark':
        return;
      case 'open':
        this.#open(step);
        return;
      case 'write':
        this.#file(step.inode).change({ at: step.at, bytes: step.bytes });
        return;
      case 'truncate':
        this.#file(step.inode).change({ size: step.size });
        return;
      case 'sync-begin': {
        const entry = this.#inodes.get(step.inode);
        this.#syncs.set(step.sync, entry instanceof DiskFile ? entry.changes : this.#nameCount);
        return;
      }
      case 'sync-end':
        this.#synced(this.#inodes.get(step.inode), this.#syncs.get(step.sync));
        return;
      case 'mkdir':
        this.#name(this.#place(step.path), new DiskFolder());
        return;
      case 'unlink':
      case 'rmdir':
        this.#name(this.#place(step.path), null);
        return;
      case 'rename': {
        const from = this.#place(step.path);
        const entry = from.folder.seen.get(from.name);
        if (!entry) throw new Error(`${step.path} was renamed and never made`);
        from.folder.seen.delete(from.name);
        this.#name(this.#place(step.to), entry, from);
        return;
      }
    }
  }

  #open({ inode, path, emptied, isFolder }: Step & { kind: 'open' }): void {
    if (path === this.#path) {
      this.#inodes.set(inode, this.#root);
      return;
    }
    const place = this.#place(path);
    let entry = place.folder.seen.get(place.name);
    if (!entry) {
      if (isFolder) throw new Error(`the folder ${path} was opened and never made`);
      entry = new DiskFile();
      this.#name(place, entry);
    } else if (emptied && entry instanceof DiskFile) entry.change({ size: 0 });
    this.#inodes.set(inode, entry);
  }

  #file(inode: number): DiskFile {
    const file = this.#inodes.get(inode);
    if (!(file instanceof DiskFile)) throw new Error('a file was written to that was never opened');
    return file;
  }

  #place(path: string): { folder: DiskFolder; name: string } {
    const parent = dirname(path);
    if (parent === this.#path) return { folder: this.#root, name: basename(path) };
    const { folder, name } = this.#place(parent);
    const found = folder.seen.get(name);
    if (!(found instanceof DiskFolder)) throw new Error(`there is no folder ${parent}`);
    return { folder: found, name: basename(path) };
  }

  #name({ folder, name }: { folder: DiskFolder; name: string }, entry: Entry | null, from?: NameChange['from']): void {
    if (entry) folder.seen.set(name, entry);
    else folder.seen.delete(name);
    this.#names.push({ number: this.#nameCount++, change: { folder, name, entry, ...(from && { from }) } });
  }

  #synced(entry: Entry | undefined, upTo: number | undefined): void {
    if (!entry || upTo === undefined) throw new Error('something was synced that was never opened');
    if (entry instanceof DiskFile) {
      entry.settle(upTo);
      return;
    }
    this.#names = this.#names.filter(({ number, change }) => {
      if (change.folder !== entry || number >= upTo) return true;
      settle(change, (it) => it.stable);
      return false;
    });
  }

  /** Makes the folder at `to` as a power cut at this moment leaves it; `random` gives numbers from 0 to below 1. */
  cut(to: string, random: () => number): void {
    const names = this.#namesAfter(random);
    const one = pick(fates, random);
    // Either all files meet the same fate, or each its own.
    const fateOf = random() < 0.5 ? () => one : () => pick(fates, random);
    write(to, this.#root, names, (name, file) => {
      // Made anew by whoever opens the database first: its bytes mean nothing without the memory that they were mapped to.
      if (name.endsWith('-shm')) return random() < 0.5 ? null : Buffer.alloc(32_768, random() * 256);
      return file.after(fateOf(), random);
    });
  }

  /** Makes the folder at `to` as programs see it, without the files that are mapped to memory. */
  copy(to: string): void {
    const all: Fate = 'all';
    const seen = (folder: DiskFolder) => folder.seen;
    write(to, this.#root, seen, (name, file) => (name.endsWith('-shm') ? null : file.after(all, () => 1)));
  }

  #namesAfter(random: () => number): NamesOf {
    const names = new Map<DiskFolder, Map<string, Entry>>();
    const namesOf = (folder: DiskFolder) => {
      const known = names.get(folder) ?? new Map(folder.stable);
      names.set(folder, known);
      return known;
    };
    const fate = pick(nameFates, random);
    const last = fate === 'none' ? 0 : fate === 'all' ? this.#names.length : random() * this.#names.length;
    const lasts = new Map<DiskFolder, number>();
    for (const [i, { change }] of this.#names.entries()) {
      const { folder } = change;
      if (!lasts.has(folder)) lasts.set(folder, fate === 'by folder' ? random() * (this.#names.length + 1) : last);
      if (i < (lasts.get(folder) as number)) settle(change, namesOf);
    }
    return namesOf;
  }
}

type NamesOf = (folder: DiskFolder) => Map<string, Entry>;

function settle({ folder, name, entry, from }: NameChange, namesOf: NamesOf): void {
  if (from && namesOf(from.folder).get(from.name) === entry) namesOf(from.folder).delete(from.name);
  if (entry) namesOf(folder).set(name, entry);
  else namesOf(folder).delete(name);
}

function write(
  to: string,
  folder: DiskFolder,
  namesOf: NamesOf,
  bytesOf: (name: string, file: DiskFile) => Uint8Array | null,
): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const [name, entry] of namesOf(folder)) {
    if (entry instanceof DiskFolder) write(join(to, name), entry, namesOf, bytesOf);
    else {
      const bytes = bytesOf(name, entry);
      if (bytes) writeFileSync(join(to, name), bytes, { mode: 0o600 });
    }
  }
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}
