import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';

// The program as it is built, started as a client of the Model Context Protocol starts it.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'archeion-mcp-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function connected() {
  const client = new Client({ name: 'test', version: '1' });
  const args = [launcher, 'mcp', '--data', data];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test('the tools are served by a node of the program itself', async () => {
  await (await startNode({ data }))[Symbol.asyncDispose]();
  await using it = await connected();
  const { tools } = await it.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('query');
  const { content } = await it.client.callTool({ name: 'query', arguments: { path: 'type:user' } });
  expect(JSON.stringify(content)).toContain('results');
});

test('the tools are those of the running node', async () => {
  await using node = await startNode({ data, env: { ARCHEION_MCP_WRITES: 'true' } });
  const entity = await create(node, operator(node), { properties: { label: 'Ada' } });
  await using it = await connected();
  const { content } = await it.client.callTool({ name: 'get_entity', arguments: { id: entity.id } });
  expect(JSON.stringify(content)).toContain('Ada');
  const made = await it.client.callTool({ name: 'create_entity', arguments: { type: 'note' } });
  expect(made.isError).toBeUndefined();
});
