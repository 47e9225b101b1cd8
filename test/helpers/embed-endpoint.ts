import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbedAsked {
  path: string;
  key: string | undefined;
  model: string;
  input: string[];
}

/** What is answered to one request; undefined for vectors. */
export type EmbedReply = (response: ServerResponse, asked: EmbedAsked) => boolean;

/** Somebody else's program: an OpenAI-compatible endpoint whose vectors a test makes. */
export interface EmbedEndpoint extends AsyncDisposable {
  /** Its base. */
  url: string;
  asked: EmbedAsked[];
  /** Numbers for a text, by its model. */
  vector: (text: string, model: string) => number[];
  /** Answers instead of vectors where it says so. */
  instead: EmbedReply | null;
  env(model?: string): Record<string, string>;
}

/** Kinds of things that one text may name; texts of one kind have one vector, but for a little of their own. */
const kinds = [/ship|boat|vessel|schooner/i, /king|queen|monarch|ruler/i, /tree|forest|oak|wood/i];

export function kindVector(text: string): number[] {
  const own = [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 7) / 9970;
  return [...kinds.map((kind) => (kind.test(text) ? 1 : 0)), 0.05 + own, 0.05];
}

export async function startEmbedEndpoint(): Promise<EmbedEndpoint> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] };
    const asked = { path: request.url ?? '', key: request.headers.authorization, model, input };
    endpoint.asked.push(asked);
    if (endpoint.instead?.(response, asked)) return;
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: endpoint.vector(text, model) }));
    answerJson(response, { object: 'list', data: data.toReversed(), model });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const endpoint: EmbedEndpoint = {
    url,
    asked: [],
    vector: kindVector,
    instead: null,
    env: (model = 'small') => ({
      ARCHEION_EMBED_URL: `${url}/`,
      ARCHEION_EMBED_MODEL: model,
      ARCHEION_EMBED_KEY: 'the-secret-key',
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return endpoint;
}

export function answerJson(response: ServerResponse, body: object, status = 200): true {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  return true;
}
