import { expect } from 'vitest';
import type { Row } from '../row.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export const mcpRows: Row[] = [
  {
    route: 'POST /mcp',
    auth: 'required',
    action: null,
    wire: '200 400 401 403',
    cases: [
      {
        name: 'answers a message',
        status: 200,
        call: () => ({ path: '/mcp', body: initialize }),
        body: { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'archeion' } } },
      },
      {
        name: 'takes a message that asks for nothing',
        status: 202,
        call: () => ({ path: '/mcp', body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
        also: ({ text }) => expect(text).toBe(''),
      },
      {
        name: 'answers several messages at once',
        status: 200,
        call: () => ({ path: '/mcp', body: [{ jsonrpc: '2.0', id: 1, method: 'ping' }] }),
        also: ({ body }) => expect(body).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]),
      },
      {
        name: 'what is no message',
        status: 400,
        call: () => ({ path: '/mcp', body: { method: 5 } }),
        body: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error: Invalid JSON-RPC message' } },
      },
    ],
  },
];
