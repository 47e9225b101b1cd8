import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { lines } from './limit-lines.ts';
import { type Border, borders as named } from './limits.ts';
import { behaviours } from './limits-behaviour.ts';
import { besideBorders } from './limits-beside.ts';
import { idBorders } from './limits-ids.ts';
import { processorBorders } from './limits-processors.ts';
import type { Scene } from './row.ts';

import { openScene } from './scene.ts';

const borders = [...named, ...besideBorders, ...idBorders, ...processorBorders];

let scene: Scene & AsyncDisposable;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('the limits of interface.md', () => {
  const tested: string[] = [...borders, ...behaviours].map(({ line }) => line);

  it('have a test each', () => {
    expect(lines.filter((line) => !tested.includes(line))).toEqual([]);
  });

  it.each(behaviours)('$name', ({ check }) => check(scene));
});

/** A value short enough to name a test with. */
function shown(value: unknown): string {
  if (typeof value === 'string' && value.length > 20) return `${[...value].length} characters`;
  if (Array.isArray(value) && value.length > 3) return `${value.length} items`;
  return JSON.stringify(value) ?? 'nothing';
}

const cases = (of: (border: Border) => unknown[]) =>
  borders.flatMap((border) => of(border).map((value) => ({ border, value: value as never, shown: shown(value) })));

describe('at the border', () => {
  it.each(cases((b) => b.fits))('$border.name takes $shown', async ({ border, value }) => {
    const answer = await border.send(scene, value);
    if (border.taken === undefined) expect(answer.status, answer.text.slice(0, 400)).toBeLessThan(300);
    else expect(answer.status, answer.text.slice(0, 400)).toBe(border.taken);
  });

  it.each(cases((b) => b.breaks))('$border.name refuses $shown', async ({ border, value }) => {
    const answer = await border.send(scene, value);
    expect(answer.status, answer.text.slice(0, 400)).toBe(400);
    const { error, details } = answer.body as { error: string; details: { issues: { path: unknown[] }[] } };
    expect(error).toBe('Validation failed');
    const path = details.issues[0]?.path;
    expect(border.prefix ? path?.slice(0, border.path.length) : path, answer.text).toEqual(border.path);
  });
});
