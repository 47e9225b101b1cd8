import { expect, it } from 'vitest';
import { openapi } from '../../src/server/generated/openapi.ts';
import { type ApiDocument, opsReference } from '../../src/server/resources/system/ops-reference.ts';

const document = JSON.parse(openapi) as ApiDocument;
const text = opsReference(document);
const lineOf = (route: string) => text.split('\n').find((line) => line.startsWith(`${route} `)) ?? '';

it('has a line for every public operation, and none for the operator alone', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const [internal, open] = [/ \/node\//, /^(?!.* \/node\/)/].map((which) =>
    routes.filter((route) => which.test(route)),
  );
  expect(open?.filter((route) => lineOf(route) === '')).toEqual([]);
  expect(internal?.filter((route) => lineOf(route) !== '')).toEqual([]);
  expect(internal).not.toEqual([]);
});

it('stays small enough to be read whole', () => expect(Buffer.byteLength(text)).toBeLessThan(40_000));

it('says what an operation takes and gives', () => {
  expect(lineOf('POST /connect')).toBe(
    'POST /connect [key] Link one entity to another, one way | ' +
      'body: note, source_id*, target_id*, expect_tip*, predicate, label, description | 201 ConnectedView',
  );
  expect(lineOf('GET /collections/catalog')).toBe(
    'GET /collections/catalog List all collections | query: limit: 1..1000 =100, offset: 0.. =0 | 200 CatalogView',
  );
  expect(lineOf('POST /entities')).toContain('relationships: RelationshipBody[]');
});

it('describes each shape that a body names, once', () => {
  expect(text.match(/^RelationshipBody: .*$/gm)).toEqual([
    'RelationshipBody: predicate*, peer*, peer_type, peer_label, properties: object',
  ]);
  expect(lineOf('RolesView:')).toBe('RolesView: {name: text[], ...}');
});
