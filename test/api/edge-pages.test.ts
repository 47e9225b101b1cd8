import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsPage } from '../../src/server/http/docs-page.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

describe('the node about itself', () => {
  let time = 1_000_000;
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode({ now: () => time });
  });
  afterAll(() => node[Symbol.asyncDispose]());

  test('/health says which node runs, and since when', async () => {
    time += 12_345;
    expect((await node.fetch('/health')).body).toEqual({
      status: 'ok',
      instance: node.ctx.instance,
      version: node.ctx.version,
      uptime_s: 12,
    });
  });

  test('/.well-known/archeion is the card of the node', async () => {
    expect((await node.fetch('/.well-known/archeion')).body).toEqual({
      instance: node.ctx.instance,
      version: node.ctx.version,
      service: 'arke',
      capabilities: [],
      sync: { blocks: 1, live: 1 },
    });
  });

  test('/openapi.json describes the endpoints', async () => {
    expect((await node.fetch('/openapi.json')).body).toMatchObject({
      openapi: '3.0.0',
      info: { title: 'Archeion', version: node.ctx.version },
      paths: { '/health': { get: { security: [] } } },
    });
  });

  test('/openapi.json tells a newcomer where the API is, how to sign in and what a batch takes', async () => {
    const document = (await node.fetch('/openapi.json')).body as {
      tags: { name: string }[];
      paths: Record<string, Record<string, { summary?: string; tags: string[] }>>;
    };
    expect(document).toMatchObject({
      info: { description: expect.stringContaining('X-Arke-Network') },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { apiKeyAuth: { description: expect.stringContaining('ApiKey uk_') } },
        schemas: {
          BatchCreateBody: { properties: { entities: { items: { $ref: '#/components/schemas/CreateEntityBody' } } } },
        },
      },
    });
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  test('/docs shows every path, and loads nothing from elsewhere', async () => {
    const { status, headers, text } = await node.fetch('/docs');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'self'"),
    });
    const { paths } = (await node.fetch('/openapi.json')).body as { paths: Record<string, unknown> };
    for (const path of Object.keys(paths)) expect(text).toContain(`<code>${path}</code>`);
    expect(text).not.toMatch(/<script|(?:src|href)="(?:https?:)?\/\//);
  });

  test('/ leads to the page there is', async () => {
    expect(await node.fetch('/')).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });

  test('without a built page /ui/ is 404 with a JSON body', async () => {
    for (const path of ['/ui', '/ui/', '/ui/index.html'])
      expect(await node.fetch(path)).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});

test('what a document says cannot break the page', () => {
  const html = docsPage({
    info: { title: '<u>', version: '"' },
    paths: {
      '/<x>': {
        get: {
          description: '</details><script>`<u>` **<i>**',
          parameters: [{ name: '&', in: 'query', schema: { $ref: '#/a/"><i>' } }],
        },
      },
    },
  });
  expect(html).not.toMatch(/<script>|<u>|<i>/);
});

describe('the built page', () => {
  let node: TestNode;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const ui = join(folder.path, 'renderer');
    await mkdir(join(ui, 'assets'), { recursive: true });
    await writeFile(join(folder.path, 'secret.txt'), 'secret');
    await writeFile(join(ui, '.hidden'), 'secret');
    await writeFile(join(ui, 'index.html'), '<!doctype html><meta content="__STYLE_NONCE__">');
    await writeFile(join(ui, 'assets', 'index-BSOL0Dxw.css'), 'body{}');
    node = await startNode({ ui });
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('/ui/ and its own addresses are the document, under a policy', async () => {
    const nonces = new Set<string>();
    for (const path of ['/ui/', '/ui/entities/01JABC', '/ui/index.html']) {
      const answer = await node.fetch(path);
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
      const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? [];
      expect(answer).toMatchObject({ status: 200, text: `<!doctype html><meta content="${nonce}">` });
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
    expect(await node.fetch('/ui')).toMatchObject({ status: 308, headers: { location: '/ui/' } });
    expect(await node.fetch('/')).toMatchObject({ status: 302, headers: { location: '/ui/' } });
  });

  test('assets with a hash are kept, the document is asked for again', async () => {
    expect((await node.fetch('/ui/assets/index-BSOL0Dxw.css')).headers['cache-control']).toContain('immutable');
    expect((await node.fetch('/ui/')).headers['cache-control']).toBe('no-cache');
  });

  test('nothing outside of it is served', async () => {
    for (const path of [
      '/ui/../secret.txt',
      '/ui/%2e%2e/secret.txt',
      '/ui/..%2fsecret.txt',
      '/ui/.hidden',
      '/ui/missing.js',
      '/ui/%E0%A4%A',
    ]) {
      const { status, text } = await node.fetch(path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
      expect(text).toMatch(/^\{"error":/);
    }
  });
});
