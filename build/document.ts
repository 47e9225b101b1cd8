// What the OpenAPI document says beyond what the controllers do: how to sign in, which headers every endpoint takes,
// and what tsoa cannot know.

import { withEdgeAnswers } from './edge-answers.ts';

interface Schema {
  items?: object;
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  requestBody?: { required?: boolean; content?: Record<string, unknown> };
  responses: Record<string, { description: string; content?: object }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The document's own description, in Markdown. */
export const introduction = [
  'A local-first node for versioned entity graphs. Every change of an entity makes a new version, named by its CID; ' +
    "the newest version's CID is the entity's tip.",
  '**Credentials.** `Authorization: ApiKey uk_...` with an API key, or `Authorization: Bearer ...` with a JWT of the ' +
    "identity provider. The first key is the operator's: it stands in the file `operator.key` of the data folder. Reads " +
    'mostly need no credentials; wrong ones are always a 401. A new user with a JWT calls `POST /auth/register` first.',
  '**Networks.** The header `X-Arke-Network: test` selects the test network, where ids begin with `II` and everything ' +
    'is stored apart; without it a request is for `main`. (`Arke` is the default of the setting `ARCHEION_SERVICE`.)',
  '**Changing.** Updates, deletes and restores name in `expect_tip` the version that they were made from. If another one ' +
    'is the tip by now, nothing is changed and the answer is a 409 whose `details.actual` is the tip: read it, apply the ' +
    'change again, and send it with that tip.',
  '**Errors** are JSON: `{"error": "...", "details": {...}}`. A 400 lists in `details.issues` each place that is ' +
    'wrong, as `{"path": ["relationships", 0, "peer"], "message": "..."}`.',
  '**Service accounts** may send `X-On-Behalf-Of` with the id of a user; the request then has the permissions of that ' +
    'user, and the version names both.',
].join('\n\n');

/** The order in which a reader meets the endpoints. */
export const tags = [
  { name: 'Auth', description: 'Who the caller is' },
  { name: 'Entities', description: 'Create, read, change and delete entities' },
  { name: 'Files', description: 'Entities with bytes of their own, declared first and uploaded then' },
  { name: 'Content', description: 'The bytes that any entity holds under keys' },
  { name: 'Versions', description: 'The history of entities' },
  { name: 'Folders', description: 'Folders, and what is in them: pairs of `contains` and `in`, written on both sides' },
  { name: 'Relationships', description: 'Links from one entity to another, on request written in both' },
  { name: 'Collections', description: 'Groups of entities, with roles and members' },
  { name: 'Graph', description: 'Paths between entities, and what they lead to' },
  { name: 'Search', description: 'Entities and collections by text, by what they are like, and by their properties' },
  { name: 'Argo query', description: 'Entities by what they are and by what leads to them, in a small language' },
  { name: 'Agents', description: 'Programs that call what they need by themselves, and their keys and verification' },
  { name: 'Kladoi', description: 'Processors of one step, and their keys and verification' },
  { name: 'Rhizai', description: 'Workflows over kladoi' },
  { name: 'Permissions', description: 'Which actions there are, and what the caller may do' },
  { name: 'Users', description: 'Users and their API keys' },
  { name: 'Invites', description: 'Who may register, for whoever runs the node' },
  { name: 'Chat', description: 'Conversations with a language model about what the node holds' },
  { name: 'Events', description: 'The public change feed' },
  { name: 'Attestations', description: 'What the node signs of what it knows' },
  { name: 'System', description: 'Whether the node runs, and what it can do' },
  { name: 'Node', description: "The node's own upkeep: import, export, sync, backup; for its operator" },
];

export const securityDefinitions = {
  bearerAuth: { type: 'http' as const, scheme: 'bearer' as const, description: 'A JWT of the identity provider' },
  apiKeyAuth: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Authorization',
    description: 'The word `ApiKey`, a space and the key: `ApiKey uk_...` for a user, `ApiKey ak_...` for an agent',
  },
  alphaSecret: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'X-Alpha-Secret',
    description: 'What the node has in its setting `ARCHEION_ALPHA_SECRET`',
  },
};

const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
/** Operations whose body is bytes, and those that answer them. */
const bytesIn = new Set(['ContentWrite', 'FilesUpload', 'TransfersReceive']);
const bytesOut = new Set(['ContentRead', 'FilesContent', 'TransfersDownload']);

/** The document with a summary for each operation, bodies and answers of bytes, and the items of a batch, which are checked one by one. */
export function completed(document: Document): Document {
  for (const operations of Object.values(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (bytesIn.has(operation.operationId)) operation.requestBody = { required: true, content: bytes };
      const summary = firstSentence(operation.description ?? '');
      operations[method] = { summary, ...operation, responses: withEdgeAnswers(method, operation) };
      if (!bytesOut.has(operation.operationId)) continue;
      for (const [status, answer] of Object.entries(operation.responses))
        if (status === '200' || status === '206') answer.content = bytes;
    }
  const { entities } = document.components.schemas.BatchCreateBody?.properties ?? {};
  if (!entities) throw new Error('The document has no BatchCreateBody.entities.');
  entities.items = { $ref: '#/components/schemas/CreateEntityBody' };
  return document;
}

function firstSentence(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return /^(.*?)[.:;](?=\s|$)/.exec(line)?.[1] ?? line;
}
