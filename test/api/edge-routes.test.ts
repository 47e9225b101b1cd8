import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openapi } from '../../src/server/generated/openapi.ts';
import { table } from '../../src/server/generated/routes.ts';
import { checks } from '../../src/server/http/check.ts';
import { factoryOf } from '../../src/server/http/ioc.ts';
import { type RouteTable, routesOf } from '../../src/server/http/routes.ts';
import { startNode } from '../helpers/node.ts';

describe('the generated routes', () => {
  test('every controller of the sources is there, and can be made', async () => {
    const resources = await readdir(resolve(import.meta.dirname, '../../src/server/resources'), { recursive: true });
    const files = resources.filter((path) => path.endsWith('controller.ts'));
    const controllers = new Set(table.routes.map((route) => route.controller));
    expect(controllers.size).toBe(files.length);
    await using node = await startNode();
    for (const controller of controllers) expect(factoryOf(controller)(node.ctx)).toBeInstanceOf(controller);
  });

  test('every type can be checked', () => {
    for (const { parameters, path } of table.routes)
      for (const parameter of parameters)
        if (parameter.in !== 'request')
          expect(() => checks(table.models, parameter.in === 'body' ? 'json' : 'text')(parameter), path).not.toThrow();
  });

  test('no path is there twice, and every one is in the OpenAPI document', () => {
    const { paths } = JSON.parse(openapi) as { paths: Record<string, Record<string, unknown>> };
    const seen = new Set<string>();
    for (const { method, path } of table.routes) {
      const shape = `${method} ${path.replace(/:\w+/g, ':')}`;
      expect(seen, shape).not.toContain(shape);
      seen.add(shape);
      expect(paths[path.replace(/:(\w+)/g, '{$1}')]).toHaveProperty(method);
    }
  });
});

test('a plain path wins over a parameter, whatever the order of the sources', async () => {
  class Probe {
    one(id: string): unknown {
      return { one: id };
    }
    me(): unknown {
      return { me: true };
    }
  }
  const id = { in: 'path', name: 'id', required: true, dataType: 'string' };
  const route = (path: string, action: string, parameters: RouteTable['routes'][number]['parameters']) => ({
    controller: Probe,
    method: 'get',
    path,
    caller: 'anyone' as const,
    action,
    parameters,
  });
  const probe: RouteTable = {
    models: {},
    routes: [
      route('/probe/:id', 'one', [id]),
      route('/probe/:id/keys', 'one', [id]),
      route('/probe/me/keys', 'me', []),
      route('/probe/me', 'me', []),
    ],
  };
  await using node = await startNode({ extend: (app, ctx) => app.use(routesOf(probe, ctx, () => () => new Probe())) });
  expect((await node.fetch('/probe/me')).body).toEqual({ me: true });
  expect((await node.fetch('/probe/me/keys')).body).toEqual({ me: true });
  expect((await node.fetch('/probe/you')).body).toEqual({ one: 'you' });
  expect((await node.fetch('/probe/you/keys')).body).toEqual({ one: 'you' });
  // As Express has it: a slash at the end changes nothing, HEAD is answered where GET is, more segments are another path.
  expect((await node.fetch('/probe/you/?limit=1')).body).toEqual({ one: 'you' });
  expect((await node.fetch('/probe/you', { method: 'HEAD' })).status).toBe(200);
  for (const path of ['/probe', '/probe/', '/probe//', '/probe/you/keys/more', '/Probe/you'])
    expect(await node.fetch(path), path).toMatchObject({ status: 404, body: { error: 'Not found' } });
  // What cannot be decoded is looked at only where there is such an endpoint.
  expect((await node.fetch('/probe/%zz')).status).toBe(400);
  expect((await node.fetch('/probe/%zz', { method: 'DELETE' })).status).toBe(404);
});
