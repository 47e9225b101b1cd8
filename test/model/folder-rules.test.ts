import { describe, expect, test } from 'vitest';
import { maxFoldersAbove } from '../../src/server/model/folder-rules.ts';
import type { Surroundings } from '../../src/server/model/guard-step.ts';
import { type Refusal, required } from '../../src/server/model/guards.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';

const at = '2026-01-01T00:00:00.000Z';

/** `in A` and `contains B` as relationships. */
function links(...names: string[]) {
  return names.map((name) => {
    const [predicate = '', peer = ''] = name.split(' ');
    return { predicate, peer };
  });
}

function manifest(id: string, type: string, properties: JsonObject, ...names: string[]): Manifest {
  return {
    ...{ schema: 'arke/eidos@v1', id, type, created_at: at, ver: 1, ts: at, prev: null },
    ...{ properties, relationships: links(...names), edited_by: { user_id: 'U', method: 'manual' } },
  };
}

const folder = (id: string, ...names: string[]) => manifest(id, 'folder', { label: id }, ...names);
const successor = (base: Manifest, content: Partial<Manifest>): Manifest => ({
  ...base,
  ver: base.ver + 1,
  prev: 'CID',
  ...content,
});

/** What stands around: entities with types, and their pairs, as `in` says them on the lower side. */
function around(types: Record<string, string>, above: Record<string, string[]> = {}): Surroundings {
  return {
    typesOf: (ids) => new Map(ids.flatMap((id) => (types[id] === undefined ? [] : [[id, types[id]] as const]))),
    foldersAbove: (id, parents, holders) => {
      const found = new Set<string>();
      const open = [...parents, ...(holders ? (above[id] ?? []) : [])];
      for (const one of open) {
        if (found.has(one) || (one !== id && types[one] !== 'folder')) continue;
        found.add(one);
        if (one !== id) open.push(...(above[one] ?? []));
      }
      return found;
    },
  };
}

function wrong(base: Manifest | null, next: Manifest, surroundings?: Surroundings, last?: Manifest): string[] {
  const options = { ...(surroundings && { surroundings }), ...(last && { last }) };
  const { refusals } = required(base, next, options);
  return refusals.map((r: Refusal) => (r.kind === 'forbidden' ? r.message : `${r.path.join('.')}: ${r.message}`));
}

const noLabel = 'properties.label: a folder has a label: text that is not empty';

describe('the profile', () => {
  test.each([
    [{}, noLabel],
    [{ label: '' }, noLabel],
    [{ label: null }, noLabel],
    [{ label: 'x', description: 1 }, 'properties.description: must be a string'],
    [{ label: 'x', rich_description: null }, 'properties.rich_description: must be a string'],
    [{ label: 'x', metadata: [] }, 'properties.metadata: must be an object'],
    [{ label: 'x', metadata: 'm' }, 'properties.metadata: must be an object'],
  ])('%j', (properties, message) => {
    expect(wrong(null, manifest('F', 'folder', properties as JsonObject))).toEqual([message]);
    expect(wrong(folder('F'), successor(folder('F'), { properties: properties as JsonObject }))).toEqual([message]);
  });

  test('takes a label and whatever else stands beside', () => {
    const properties = { label: 'x', description: '', rich_description: '# x', metadata: {}, shelf: null };
    expect(wrong(null, manifest('F', 'folder', properties))).toEqual([]);
    expect(wrong(null, manifest('F', 'document', {}))).toEqual([]);
  });

  test('lets what was odd before stay as it is, and be mended', () => {
    const odd = manifest('F', 'folder', { description: 7 });
    expect(wrong(odd, successor(odd, { properties: { description: 7, more: true } }))).toEqual([]);
    expect(wrong(odd, successor(odd, { properties: { description: 8 } }))).toEqual([
      'properties.description: must be a string',
    ]);
    expect(wrong(odd, successor(odd, { properties: { label: 'x' } }))).toEqual([]);
    const grave = successor(odd, { properties: {}, relationships: [], deleted: true });
    expect(wrong(odd, grave)).toEqual([]);
    const back = successor({ ...odd, ver: 2 }, { properties: { description: 7 } });
    expect(wrong(grave, back, undefined, odd)).toEqual([]);
  });
});

describe('peers', () => {
  const types = { D: 'document', P: 'folder', C: 'collection', X: 'file' };

  test('are files and folders below, folders and collections above', () => {
    expect(wrong(null, folder('F', 'contains X', 'in P', 'in C', 'contains GONE', 'has D'), around(types))).toEqual([]);
    expect(wrong(null, folder('F', 'contains X', 'contains D', 'contains C', 'in X'), around(types))).toEqual([
      'relationships.1.peer: must be a file or a folder, and D has the type `document`',
      'relationships.2.peer: must be a file or a folder, and C has the type `collection`',
      'relationships.3.peer: must be a folder or a collection, and X has the type `file`',
    ]);
    expect(wrong(null, manifest('X', 'file', {}, 'in D', 'contains D'), around(types))).toEqual([
      'relationships.0.peer: must be a folder or a collection, and D has the type `document`',
    ]);
  });

  test('are not all named where very many are wrong', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `D${i}`);
    const many = around(Object.fromEntries(names.map((name) => [name, 'document'])));
    expect(wrong(null, folder('F', ...names.map((name) => `contains ${name}`)), many)).toHaveLength(100);
  });

  test('are looked at only where they are new, and only of folders and files', () => {
    const odd = folder('F', 'contains D');
    expect(wrong(odd, successor(odd, { properties: { label: 'y' } }), around(types))).toEqual([]);
    expect(wrong(null, manifest('B', 'book', {}, 'contains D', 'in X'), around(types))).toEqual([]);
    const collection = manifest('C', 'collection', { label: 'C' });
    const holding = successor(collection, { relationships: links('contains D') });
    expect(wrong(collection, holding, around(types))).toEqual([]);
  });
});

describe('a folder below itself', () => {
  const types = { A: 'folder', B: 'folder', C: 'folder', D: 'folder', R: 'collection' };
  /** C is in B, B in A, A in the collection. */
  const stands = around(types, { C: ['B'], B: ['A'], A: ['R'] });
  const wouldContain = (index: number, id: string) =>
    `relationships.${index}.peer: the folder ${id} would contain itself`;

  test('by its own parent', () => {
    const base = folder('A', 'in R');
    const into = (...names: string[]) =>
      wrong(base, successor(base, { relationships: links('in R', ...names) }), stands);
    expect(into('in C')).toEqual([wouldContain(1, 'A')]);
    expect(into('in D', 'in B')).toEqual([wouldContain(2, 'A')]);
    expect(into('in A')).toEqual([wouldContain(1, 'A')]);
    expect(into('in D')).toEqual([]);
    expect(into('in D', 'in NOWHERE')).toEqual([]);
  });

  test('by what it contains', () => {
    const base = folder('C', 'in B');
    const with_ = (...names: string[]) =>
      wrong(base, successor(base, { relationships: links('in B', ...names) }), stands);
    expect(with_('contains D', 'contains A')).toEqual([wouldContain(2, 'A')]);
    expect(with_('contains B')).toEqual([wouldContain(1, 'B')]);
    expect(with_('contains C')).toEqual([wouldContain(1, 'C')]);
    expect(with_('contains D')).toEqual([]);
    const free = successor(base, { relationships: links('contains A') });
    expect(wrong(base, free, around(types, { B: ['A'] }))).toEqual([]);
  });

  test('by a parent that it contains, or that stands below what it contains', () => {
    const base = folder('A', 'contains B', 'contains D');
    const below = around(types, { C: ['B'] });
    const into = (...names: string[]) => wrong(base, successor(base, { relationships: links(...names) }), below);
    expect(into('contains B', 'contains D', 'in D')).toEqual([wouldContain(2, 'A')]);
    expect(into('contains B', 'in C')).toEqual([wouldContain(1, 'A')]);
    expect(into('contains D', 'in C')).toEqual([]);
  });

  test('by both sides in one step', () => {
    const base = folder('D');
    const next = successor(base, { relationships: links('in C', 'contains A') });
    expect(wrong(base, next, stands)).toEqual([wouldContain(0, 'D')]);
  });

  test('one that came so from elsewhere stays editable', () => {
    const loop = around(types, { A: ['B'], B: ['A'] });
    const base = folder('A', 'in B');
    expect(wrong(base, successor(base, { properties: { label: 'y' } }), loop)).toEqual([]);
    expect(wrong(base, successor(base, { relationships: links('in B', 'contains D') }), loop)).toEqual([]);
  });

  test('a restored one brings its links back as new', () => {
    const last = folder('A', 'in C');
    const grave = successor(last, { properties: {}, relationships: [], deleted: true });
    const { deleted: _, ...back } = successor(grave, {
      properties: last.properties,
      relationships: last.relationships,
    });
    expect(wrong(grave, back, stands, last)).toEqual([wouldContain(0, 'A')]);
  });

  test('the look ends somewhere', () => {
    const deep = { ...stands, foldersAbove: () => null };
    const base = folder('D');
    const tooDeep = [`relationships: more than ${maxFoldersAbove} folders would stand above it`];
    expect(wrong(base, successor(base, { relationships: links('in A') }), deep)).toEqual(tooDeep);
    expect(wrong(base, successor(base, { relationships: links('contains A') }), deep)).toEqual(tooDeep);
    const many = Array.from({ length: maxFoldersAbove + 1 }, (_, i) => `in P${i}`);
    expect(wrong(base, successor(base, { relationships: links(...many) }), stands)).toEqual(tooDeep);
  });
});
