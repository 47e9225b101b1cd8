import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { bounded, refusalOf, type Tool } from '../chat/tools.ts';
import type { Log } from '../log.ts';
import type { Caller } from '../model/caller.ts';
import type { McpAnswer, McpMessage, ToolServer } from '../resources/mcp/service.ts';
import type { JsonMap } from '../resources/wire.ts';

export interface ToolServerNeeds {
  version: string;
  /** Tools that only read, and tools that write. */
  tools: { reading: Tool[]; writing: Tool[] };
  log: Log;
}

/** Messages at once. */
const maxBatch = 20;

const instructions =
  'A node with versioned entities: each has a type, properties, relationships to others, and a history. Entities lie in ' +
  'collections. Begin with search or list_collections; ids have 26 characters. query takes the Argo language.';

const options = {
  capabilities: { tools: {} },
  instructions,
  // For forms, which are never sent: without it the SDK makes an Ajv for each message.
  jsonSchemaValidator: {
    getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'no form was sent' }),
  },
};

/**
 * Answers messages of the Model Context Protocol, each by itself: the node keeps nothing between them. What a tool finds
 * is what the caller may see.
 */
export function createToolServer({ version, tools, log }: ToolServerNeeds): ToolServer {
  const byName = new Map([...tools.reading, ...tools.writing].map((one) => [one.name, one]));
  const listed = [
    ...tools.reading.map((one) => described(one, true)),
    ...tools.writing.map((one) => described(one, false)),
  ];

  async function use(caller: Caller, name: string, args: unknown): Promise<CallToolResult> {
    const tool = byName.get(name);
    if (tool === undefined) return failed(`There is no tool ${name}.`);
    try {
      const { text } = bounded(await tool.run(caller, args ?? {}));
      return { content: [{ type: 'text', text }] };
    } catch (error) {
      const words = refusalOf(error);
      if (words === undefined) log.error({ err: error, tool: name }, 'a tool failed');
      return failed(words ?? 'The node failed at this. Its log says more.');
    }
  }

  return async (caller: Caller, { message: sent, protocol }: McpMessage): Promise<McpAnswer> => {
    if (Array.isArray(sent) && (sent.length === 0 || sent.length > maxBatch)) return { status: 400, json: noBatch };
    if (Array.isArray(sent) && repeatsId(sent)) return { status: 400, json: repeated };
    // What is cancelled is not answered, and the transport would wait for that answer without end.
    const message = Array.isArray(sent) ? sent.filter(({ method }) => method !== 'notifications/cancelled') : sent;
    if (Array.isArray(message) && message.length === 0) return { status: 202, json: null };
    const server = new Server({ name: 'archeion', version }, options);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => use(caller, params.name, params.arguments));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(protocol !== undefined && { 'mcp-protocol-version': protocol }),
      };
      const request = new Request('http://node.invalid/mcp', { method: 'POST', headers });
      const response = await transport.handleRequest(request, { parsedBody: message });
      const text = await response.text();
      // The answers to a list are a list, also where there is one.
      const isAlone = Array.isArray(message) && response.status === 200 && !text.startsWith('[');
      return { status: response.status, json: text === '' ? null : isAlone ? `[${text}]` : text };
    } finally {
      await server.close();
    }
  };
}

function invalid(why: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: `Invalid Request: ${why}` } });
}

const noBatch = invalid(`a list has 1 to ${maxBatch} messages; send others by themselves.`);
const repeated = invalid('two requests of a list have the same id; both would be done, and one answered.');

function repeatsId(messages: readonly JsonMap[]): boolean {
  const ids = messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
  return new Set(ids).size < ids.length;
}

function described({ name, description, parameters }: Tool, readOnly: boolean) {
  const inputSchema = parameters as { type: 'object' };
  return { name, description, inputSchema, annotations: { readOnlyHint: readOnly, openWorldHint: false } };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
