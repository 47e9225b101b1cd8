import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, remove } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import { prototypes } from './hostile.ts';
import { kept, own, places, sendText } from './hostile-places.ts';
import { odd, refused } from './hostile-values.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

// What comes in is stored as it is or refused in the documented words. Bodies are text here, as they are on the wire.

let scene: Scene & AsyncDisposable;
const before = prototypes();
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  expect(prototypes()).toEqual(before);
});

/** One request whose body is this text. */
const raw = (line: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  sendText(scene, line, body, headers);

/** The value in an object of the entity that a write stored: the answer, a read and the hashed version say the same. */
async function stored(answer: Answer, at: (entity: Entity) => unknown): Promise<unknown> {
  const { id } = ok(answer);
  const entity = await read(scene.node, scene.owner, id);
  const historic = await ask(scene.node, scene.owner, `GET /versions/manifest/${entity.cid}`);
  const { manifest } = ok<{ manifest: Entity }>(historic);
  expect(isDeepStrictEqual(at(manifest), at(entity))).toBe(true);
  return at(entity);
}

describe.each(places)('$name', ({ write, at }) => {
  it.each(odd)('keeps %s', async (_name, json) => {
    expect(isDeepStrictEqual(await stored(await write(scene, json), at), JSON.parse(json))).toBe(true);
  });

  it('takes the last of repeated members, and -0 for 0', async () => {
    const found = await stored(await write(scene, '{"a":1,"a":{"b":1},"a":{"c":-0},"z":-0.0}'), at);
    expect(JSON.stringify(found)).toBe('{"a":{"c":0},"z":0}');
  });

  it.each(refused)('refuses %s', async (name, json) => {
    // Where anything may stand, a list, a text and null are values like others.
    if (at === kept && ['a list', 'a text', 'null'].includes(name)) return;
    const { status, body, text } = await write(scene, json);
    expect(status, text.slice(0, 300)).toBe(400);
    expect((body as { error: string }).error).toBe('Validation failed');
  });
});

describe.each(places.slice(0, 4))('$name', ({ write, at }) => {
  it('keep 10 MB', async () => {
    const json = JSON.stringify({ texts: Array.from({ length: 100 }, (_, i) => `${i} ${'ä'.repeat(50_000)}`) });
    expect(Buffer.byteLength(json)).toBeGreaterThan(10_000_000);
    expect(isDeepStrictEqual(await stored(await write(scene, json), at), JSON.parse(json))).toBe(true);
  });
});

describe('updates', () => {
  it('merge into what is called __proto__ like into anything else, and remove it', async () => {
    const made = await raw('POST /entities', '{"type":"t","properties":{"__proto__":{"a":1,"b":{"c":1}}}}');
    const { id, cid } = ok(made);
    const merge = '{"__proto__":{"a":2,"b":{"__proto__":{"d":1}}},"constructor":{"prototype":{"e":1}}}';
    const merged = ok(await raw(`PUT /entities/${id}`, `{"expect_tip":"${cid}","properties":${merge}}`));
    const expected = '{"__proto__":{"a":2,"b":{"c":1,"__proto__":{"d":1}}},"constructor":{"prototype":{"e":1}}}';
    expect(isDeepStrictEqual(merged.properties, JSON.parse(expected))).toBe(true);
    const removal = '{"__proto__":{"b":["__proto__"]},"constructor":["prototype"],"toString":["x"]}';
    const less = ok(await raw(`PUT /entities/${id}`, `{"expect_tip":"${merged.cid}","properties_remove":${removal}}`));
    const rest = '{"__proto__":{"a":2,"b":{"c":1}},"constructor":{}}';
    expect(isDeepStrictEqual(less.properties, JSON.parse(rest))).toBe(true);
    const gone = '["__proto__","constructor","hasOwnProperty","valueOf"]';
    const none = ok(await raw(`PUT /entities/${id}`, `{"expect_tip":"${less.cid}","properties_remove":${gone}}`));
    expect(Reflect.ownKeys(none.properties)).toEqual([]);
  });

  it.each([
    ['no list', '"a"'],
    ['numbers', '[1]'],
    ['lists of lists', '[["a"]]'],
    ['null', 'null'],
    ['nothing that leads to a list', '{"a":1}'],
    ['an unpaired surrogate in a list', '["\\ud800"]'],
    ['1,000 levels', `${'{"a":'.repeat(1000)}["x"]${'}'.repeat(1000)}`],
  ])('refuse properties_remove with %s', async (name, removal) => {
    const { id, cid } = await create(scene.node, scene.owner);
    const answer = await raw(`PUT /entities/${id}`, `{"expect_tip":"${cid}","properties_remove":${removal}}`);
    // A name that nothing can have removes nothing.
    expect(answer.status, answer.text.slice(0, 300)).toBe(name.includes('surrogate') ? 200 : 400);
  });

  it('take repeated relationships for one: the last, in the place of the first', async () => {
    const [a, b] = [await create(scene.node, scene.owner), await create(scene.node, scene.owner)];
    const item = (peer: string, n: number) => ({ predicate: 'has', peer, properties: { n, [`only_${n}`]: true } });
    const relationships = [item(a.id, 1), item(b.id, 2), item(a.id, 3)];
    const made = await create(scene.node, scene.owner, { relationships });
    const found = ({ relationships: all }: Entity) => all.map(({ peer, properties }) => [peer, properties?.n]);
    expect(found(made)).toEqual([
      [a.id, 3],
      [b.id, 2],
    ]);
    const { id, cid } = await create(scene.node, scene.owner);
    const body = { expect_tip: cid, relationships_add: relationships };
    const updated = ok(await ask(scene.node, scene.owner, `PUT /entities/${id}`, body));
    expect(found(updated)).toEqual(found(made));
    const removal = { predicate: 'has', peer: a.id };
    const twice = { expect_tip: updated.cid, relationships_remove: [removal, removal, { predicate: 'has' }] };
    expect(ok(await ask(scene.node, scene.owner, `PUT /entities/${id}`, twice)).relationships).toEqual([]);
  });
});

describe('roles', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a\u0000b', '0', '😀', '../x', ' '])(
    'may be called %j',
    async (role) => {
      const actions = ['entity:update'];
      const roles = JSON.parse(`{${JSON.stringify(role)}:["*:view"]}`) as object;
      const { id } = await collection(scene.node, scene.owner, { roles });
      const path = `/collections/${id}/roles/${encodeURIComponent(role)}`;
      const changed = ok<{ roles: object }>(await ask(scene.node, scene.owner, `PUT ${path}`, { actions }));
      expect(own(changed.roles, role)).toEqual(actions);
      const shown = await read(scene.node, scene.owner, id);
      expect(own((shown as unknown as { roles: object }).roles, role)).toEqual(actions);
      await enrol(scene.node, scene.owner, id, scene.viewer, role);
      const { id: inside, cid } = await create(scene.node, scene.owner, { collection: id });
      ok(await ask(scene.node, scene.viewer, `PUT /entities/${inside}`, { expect_tip: cid }));
      const removed = ok<{ roles: object }>(await ask(scene.node, scene.owner, `DELETE ${path}`));
      expect(own(removed.roles, role)).toBeUndefined();
    },
  );

  it.each(['__proto__', 'constructor', 'toString'])('are not there because objects have a %s', async (role) => {
    const path = `/collections/${scene.collection.id}/roles/${role}`;
    expect((await ask(scene.node, scene.owner, `PUT ${path}`, { actions: ['*:view'] })).status).toBe(404);
    expect((await ask(scene.node, scene.owner, `DELETE ${path}`)).status).toBe(404);
    const member = { user_id: scene.viewer.id, role };
    expect(
      (await ask(scene.node, scene.owner, `POST /collections/${scene.collection.id}/members`, member)).status,
    ).toBe(400);
  });

  it.each(['"\\ud800"', '["*:view"]', '{}', '5'])('are not called %s', async (role) => {
    const body = `{"role":${role},"actions":["*:view"]}`;
    expect((await raw(`POST /collections/${scene.collection.id}/roles`, body)).status).toBe(400);
  });

  it.each(['"__proto__"', '"constructor"', '"*:toString"', '"toString:*"', '"*:*"', '"collection:*"', '{}', 'null'])(
    'do not give %s',
    async (action) => {
      const body = `{"role":"r","actions":[${action}]}`;
      expect((await raw(`POST /collections/${scene.collection.id}/roles`, body)).status).toBe(400);
    },
  );
});

describe('texts beside the content', () => {
  const broken = '"x\\ud800"';
  const body: Record<string, () => Promise<[string, string]>> = {
    'note of POST /entities': async () => ['POST /entities', `{"type":"t","note":${broken}}`],
    'type of POST /entities': async () => ['POST /entities', `{"type":${broken}}`],
    'peer_label of POST /entities': async () => [
      'POST /entities',
      `{"type":"t","relationships":[{"predicate":"p","peer":"${scene.owner.id}","peer_label":${broken}}]}`,
    ],
    'note of PUT /entities/{id}': async () => {
      const { id, cid } = await create(scene.node, scene.owner);
      return [`PUT /entities/${id}`, `{"expect_tip":"${cid}","note":${broken}}`];
    },
    'reason of DELETE /entities/{id}': async () => {
      const { id, cid } = await create(scene.node, scene.owner);
      return [`DELETE /entities/${id}`, `{"expect_tip":"${cid}","reason":${broken}}`];
    },
    'note of POST /entities/{id}/restore': async () => {
      const { id, cid } = await remove(scene.node, scene.owner, await create(scene.node, scene.owner));
      return [`POST /entities/${id}/restore`, `{"expect_tip":"${cid}","note":${broken}}`];
    },
    'reason of DELETE /entities/{id}/cascade': async () => {
      const { id, cid } = await create(scene.node, scene.owner, { collection: scene.collection.id });
      const rest = `"collection_id":"${scene.collection.id}","cascade_predicates":["*"]`;
      return [`DELETE /entities/${id}/cascade`, `{"expect_tip":"${cid}",${rest},"reason":${broken}}`];
    },
    'label of POST /collections': async () => ['POST /collections', `{"label":${broken}}`],
    'note of POST /collections': async () => ['POST /collections', `{"label":"l","note":${broken}}`],
    'label of PUT /users/{id}': async () => {
      const { id, cid } = await read(scene.node, scene.owner, scene.owner.id);
      return [`PUT /users/${id}`, `{"expect_tip":"${cid}","label":${broken}}`];
    },
    'label of POST /users/me/keys': async () => ['POST /users/me/keys', `{"label":${broken}}`],
    'note of POST /relationships': async () => {
      const [a, b] = [await create(scene.node, scene.owner), await create(scene.node, scene.owner)];
      const ids = `"source_id":"${a.id}","target_id":"${b.id}","expect_source_tip":"${a.cid}"`;
      return ['POST /relationships', `{${ids},"source_predicate":"p","note":${broken}}`];
    },
  };

  it.each(Object.keys(body))('%s has no unpaired surrogate', async (name) => {
    const [line, text] = (await body[name]?.()) ?? ['', ''];
    expect((await raw(line, text)).status).toBe(400);
    expect((await raw(line, text.replace(broken, '"NUL \\u0000 and 😀"'))).status).toBeLessThan(300);
  });
});

describe('metadata filters', () => {
  const filter = (json: string) =>
    ask(scene.node, scene.owner, `GET /collections/${scene.collection.id}/entities?filter=${encodeURIComponent(json)}`);

  it('find what is called __proto__, and nothing that objects inherit', async () => {
    const inside = `"collection":"${scene.collection.id}"`;
    const { id } = ok(await raw('POST /entities', `{"type":"t",${inside},"properties":{"__proto__":"p"}}`));
    const found = ok<{ entities: { id: string }[] }>(await filter('{"__proto__":"p"}'));
    expect(found.entities.map((entity) => entity.id)).toEqual([id]);
    expect((await filter('{"__defineGetter__":{"$exists":true}}')).body).toMatchObject({ entities: [] });
  });

  it.each([
    '{"constructor":1}',
    '{"_a":{"__proto__":1}}',
    '{"_a":{"toString":1}}',
    '{"$__proto__":[]}',
    '{"_a":{"$in":{"length":1}}}',
    '{"_a":1e400}',
    '{"_\\ud800":1}',
    '{"_a":"\\ud800"}',
    `${'{"$and":['.repeat(200)}{}${']}'.repeat(200)}`,
    '{"_a":1',
    'null',
    '[]',
    ' ',
  ])('refuse %s', async (json) => {
    expect((await filter(json)).status).toBe(400);
  });
});

describe('bodies that are no JSON text', () => {
  const lines = [
    'POST /entities',
    'POST /entities/batch',
    'POST /collections',
    'POST /users/me/keys',
    'POST /relationships',
  ];

  it.each(lines)('%s refuses what is no UTF-8', async (line) => {
    for (const bytes of ['ff', 'c0af', 'eda080', 'f4908080', 'e2', '80']) {
      const text = Buffer.concat([Buffer.from('{"type":"'), Buffer.from(bytes, 'hex'), Buffer.from('"}')]);
      expect((await raw(line, text)).status).toBe(400);
    }
  });

  it.each(lines)('%s refuses other types in words', async (line) => {
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'image/png',
    ]) {
      const { status, text } = await raw(line, '{"type":"t"}', { 'Content-Type': type });
      expect([status, text.includes('application/json')]).toEqual([400, true]);
    }
    for (const charset of ['utf-16', 'latin1', 'x'])
      expect((await raw(line, '{}', { 'Content-Type': `application/json; charset=${charset}` })).status).toBeOneOf([
        400, 415,
      ]);
  });

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['deflate', (text: string) => deflateSync(text)],
    ['br', (text: string) => brotliCompressSync(text)],
  ])('take %s, and only 32 MiB of what is in it', async (encoding, compress) => {
    const encoded = { 'Content-Encoding': encoding };
    ok(await raw('POST /entities', compress('{"type":"t"}'), encoded));
    const bomb = compress(`{"type":"t","note":"${' '.repeat(40 * 1024 * 1024)}"}`);
    expect(bomb.length).toBeLessThan(100_000);
    const { status, body } = await raw('POST /entities', bomb, encoded);
    expect([status, body]).toEqual([413, { error: 'The body is too large: at most 32 MiB of JSON' }]);
    expect((await raw('POST /entities', bomb.subarray(0, 50), encoded)).status).toBe(400);
    expect((await raw('POST /entities', 'no such thing', encoded)).status).toBe(400);
  });

  it('refuse encodings that are not known', async () => {
    for (const encoding of ['zip', 'gzip, gzip', 'x'])
      expect((await raw('POST /entities', '{"type":"t"}', { 'Content-Encoding': encoding })).status).toBe(415);
  });
});
