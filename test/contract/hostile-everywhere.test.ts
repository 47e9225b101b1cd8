import { afterAll, beforeAll, expect, it } from 'vitest';
import { nowhere } from '../helpers/entities.ts';
import { operations } from './document.ts';
import { prototypes } from './hostile.ts';
import { sendText } from './hostile-places.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

// Every endpoint that takes JSON gets what no honest client sends: it answers, with no 5xx but a documented 503, and no
// prototype has changed.

let scene: Scene & AsyncDisposable;
const before = prototypes();
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const bodies: [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[{}]'],
  ['a text', '"{}"'],
  ['no JSON', '{"a":'],
  ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
  [
    'prototypes',
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":2}',
  ],
  ['repeated members', '{"label":"a","label":{"b":1},"label":["c"]}'],
  ['an unpaired surrogate', '{"label":"\\ud800","query":"\\udfff","message":"\\ud800"}'],
  ['a NUL', '{"label":"a\\u0000b","email":"a\\u0000@b.c","query":"\\u0000","id":"\\u0000"}'],
  ['1,000 levels', deep(1000)],
  ['100,000 levels', deep(100_000)],
  ['numbers that are none', '{"limit":1e999,"k":-1e999,"expires_in":1e308,"max_depth":0.1}'],
  ['a member of a megabyte', JSON.stringify({ label: 'x'.repeat(1_000_000), message: 'x'.repeat(1_000_000) })],
];

const routes = [...operations]
  .filter(([, { requestBody }]) => JSON.stringify(requestBody ?? {}).includes('application/json'))
  .map(([route]) => route);

it('knows the endpoints with a body', () => {
  expect(routes).toEqual(expect.arrayContaining(['POST /chat', 'POST /alpha/invite', 'POST /kladoi', 'POST /query']));
});

it.each(routes)('%s', async (route) => {
  const line = route.replaceAll(/\{\w+\}/g, nowhere);
  for (const [name, body] of bodies) {
    const { status, text } = await sendText(scene, line, body, { 'X-Alpha-Secret': 'not the secret' });
    expect(status < 500 || status === 503, `${name}: ${status} ${text.slice(0, 200)}`).toBe(true);
  }
  expect(prototypes()).toEqual(before);
});
