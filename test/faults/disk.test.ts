import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seeded } from '../helpers/seeded.ts';
import { Disk } from './disk.ts';
import type { Step } from './recording.ts';

// What a power cut may leave, and what it may not (docs/faults.md).

const root = '/recorded';
let syncs = 0;
const folder = (inode: number, path: string): Step => ({ kind: 'open', inode, path, emptied: false, isFolder: true });
const file = (inode: number, path: string): Step => ({ kind: 'open', inode, path, emptied: false, isFolder: false });
const write = (inode: number, at: number, letter: string, length = 2048): Step => ({
  ...{ kind: 'write', inode, at },
  bytes: Buffer.alloc(length, letter),
});
const sync = (inode: number): Step[] => {
  const number = ++syncs;
  return [
    { kind: 'sync-begin', inode, sync: number },
    { kind: 'sync-end', inode, sync: number },
  ];
};

/** The text of a file after cuts with many seeds; null where it is gone. */
function outcomes(steps: Step[], name: string): (string | null)[] {
  const disk = new Disk(root);
  for (const step of steps) disk.apply(step);
  return Array.from({ length: 200 }, (_, seed) => {
    const to = mkdtempSync(join(tmpdir(), 'archeion-disk-'));
    try {
      disk.cut(to, seeded(seed));
      return existsSync(join(to, name)) ? readFileSync(join(to, name), 'utf8') : null;
    } finally {
      rmSync(to, { recursive: true });
    }
  });
}

const made = [folder(1, root), file(2, `${root}/a`), write(2, 0, 'o'), ...sync(2), ...sync(1)];
const old = 'o'.repeat(2048);

test('what is synced with its name is there whatever is cut off', () => {
  expect(new Set(outcomes(made, 'a'))).toEqual(new Set([old]));
});

test('what is synced without its name may be gone, and is whole where it is not', () => {
  expect(new Set(outcomes(made.slice(0, -2), 'a'))).toEqual(new Set([old, null]));
  const below: Step[] = [{ kind: 'mkdir', path: `${root}/b` }, folder(3, `${root}/b`), file(4, `${root}/b/c`)];
  const inside = [...made, ...below, write(4, 0, 'o'), ...sync(4), ...sync(3)];
  expect(new Set(outcomes(inside, 'b/c'))).toEqual(new Set([old, null]));
});

test('a write that is not synced is there, or not, or in part by sectors, also without the one before it', () => {
  const all = outcomes([...made, write(2, 0, 'x'), write(2, 2048, 'y')], 'a');
  const sectors = (text: string | null) => (text ?? '').match(/.{1,512}/gs) ?? [];
  expect(
    all.every((text) =>
      sectors(text)
        .slice(0, 4)
        .every((one) => /^(o{512}|x{512})$/.test(one)),
    ),
  ).toBe(true);
  const firsts = new Set(all.map((text) => sectors(text).slice(0, 4).join('')));
  expect(firsts).toContain(old);
  expect(firsts).toContain('x'.repeat(2048));
  expect(firsts.size).toBeGreaterThan(4);
  expect(all).toContain(`${old}${'y'.repeat(2048)}`);
  // Longer than what was written of it.
  expect(all.some((text) => text?.length === 4096 && !text.slice(2048).includes('y'))).toBe(true);
});

test('what was written after a sync had begun is not covered by it', () => {
  const [begin, end] = sync(2) as [Step, Step];
  expect(new Set(outcomes([...made, begin, write(2, 0, 'x'), end], 'a'))).toContain(old);
});

test('a rename without a sync of the bytes may leave an empty file, and is on disk with its new folder', () => {
  const fresh = [...made, file(5, `${root}/new`), write(5, 0, 'n')];
  const renamed: Step[] = [...fresh, { kind: 'rename', path: `${root}/new`, to: `${root}/a` }];
  const left = new Set(outcomes(renamed, 'a'));
  expect(left).toContain('');
  expect(left).toContain(old);
  const safe = [...fresh, ...sync(5), ...renamed.slice(-1), ...sync(1)];
  expect(new Set(outcomes(safe, 'a'))).toEqual(new Set(['n'.repeat(2048)]));
  expect(new Set(outcomes(safe, 'new'))).toEqual(new Set([null]));
});
