import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request for a completion, as the endpoint got it. */
export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    messages: { role: string; content: string; tool_calls?: unknown[]; tool_call_id?: string }[];
    tools: { function: { name: string; parameters: { properties: object } } }[];
    tool_choice: string;
    stream: boolean;
  };
}

/** Writes the answer to one request. */
export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

/** Somebody else's program: an OpenAI-compatible endpoint that answers what a test tells it to. */
export interface ChatEndpoint extends AsyncDisposable {
  /** Its base. */
  url: string;
  asked: Asked[];
  /** How many requests ended before their answers did. */
  left: number;
  /** The settings of a node that asks it. */
  env: Record<string, string>;
  /** What is answered to each request, in turn; the last one again and again. */
  replies: Reply[];
}

export async function startChatEndpoint(...replies: Reply[]): Promise<ChatEndpoint> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
    const asked = { path: request.url ?? '', headers: request.headers, body };
    const reply = endpoint.replies[Math.min(endpoint.asked.length, endpoint.replies.length - 1)] ?? says('Hello.');
    endpoint.asked.push(asked);
    response.once('close', () => {
      if (!response.writableFinished) endpoint.left++;
    });
    await reply(response, asked);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const endpoint: ChatEndpoint = {
    url,
    asked: [],
    left: 0,
    env: { ARCHEION_CHAT_URL: `${url}/`, ARCHEION_CHAT_MODEL: 'small', ARCHEION_CHAT_KEY: 'the-secret-key' },
    replies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return endpoint;
}

/** The head of a stream, and the events given. */
export function stream(response: ServerResponse, ...events: unknown[]): void {
  if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
}

export function textDelta(content: string): object {
  return { choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

export function finish(reason: string): object {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

export const usage = { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } };

/** A whole answer, word by word. */
export function says(text: string): Reply {
  return (response) => {
    const words = text.split(/(?<= )/).map(textDelta);
    stream(response, ...words, finish('stop'), usage, '[DONE]');
    response.end();
  };
}

/** Calls of tools; the arguments come in two pieces, as they do. */
export function calls(...wanted: { name: string; args: unknown; id?: string }[]): Reply {
  return (response) => {
    for (const [index, { name, args, id }] of wanted.entries()) {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const half = Math.floor(text.length / 2);
      const piece = (one: object) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...one }] } }] });
      stream(
        response,
        piece({ id: id ?? `call-${index}`, type: 'function', function: { name, arguments: text.slice(0, half) } }),
        piece({ function: { arguments: text.slice(half) } }),
      );
    }
    stream(response, finish('tool_calls'), usage, '[DONE]');
    response.end();
  };
}
