// What the edge and the store answer for every endpoint alike, which no controller says: tsoa reads only controllers.

interface Answer {
  description: string;
  content?: { 'application/json'?: { schema: object } };
  headers?: object;
}

interface Operation {
  operationId: string;
  requestBody?: { content?: Record<string, unknown> };
  responses: Record<string, Answer>;
}

const error = (description: string): Answer => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorView' } } },
});

const ofJsonBodies: Record<string, Answer> = {
  '413': error(
    'The body is too large: at most 32 MiB of JSON, 1 MiB where it starts a processor, 8 MiB where it starts a batch of jobs, ' +
      '256 KiB to `/mcp`',
  ),
  '415': error('The body is in a charset or an encoding that the node does not take: send UTF-8'),
};

const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } };
const unavailable = error(
  'The node has too much to write, or its disk fails; `details.service` says what does not serve',
);
const ofWrites: Record<string, Answer> = {
  '503': { ...unavailable, headers: retryAfter },
  '507': error('The disk is full'),
};
const ofReads: Record<string, Answer> = {
  '503': {
    ...error(
      'Too many long reads or large requests wait for their turn, or the disk fails; `details.reason` says which',
    ),
    headers: retryAfter,
  },
};

/** Reads with a body. */
const readOnly = new Set([
  'EntitiesGetBatch',
  'GraphPaths',
  'GraphReachable',
  ...['Entities', 'Collections', 'Agents', 'Discover', 'SimilarItems', 'SimilarCollections'].map((it) => `Search${it}`),
  'MySearchMine',
  'QueryRun',
  'McpAnswer',
]);
/** Answered from memory: they wait for no turn and need no disk. */
const remembered = new Set([
  ...['Card', 'Health', 'Openapi', 'OpsReference', 'SigningKey'].map((it) => `System${it}`),
  'PermissionsMetadata',
]);

/** The answers of an endpoint and of the edge, where both have one with that status. */
function either(own: Answer, edge: Answer): Answer {
  const schemas = [own, edge].flatMap(({ content }) => content?.['application/json']?.schema ?? []);
  const [schema, ...others] = new Map(schemas.map((one) => [JSON.stringify(one), one])).values();
  const both = others.length > 0 ? { anyOf: schemas } : schema;
  const headers = { ...edge.headers, ...own.headers };
  return {
    description: `${own.description}; or: ${edge.description}`,
    ...(both && { content: { 'application/json': { schema: both } } }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** An operation's answers with those of the edge. */
export function withEdgeAnswers(method: string, operation: Operation): Operation['responses'] {
  const hasJson = operation.requestBody?.content?.['application/json'] !== undefined;
  const writes = method !== 'get' && !readOnly.has(operation.operationId);
  const edge: Record<string, Answer> = {
    ...(hasJson ? ofJsonBodies : {}),
    ...(writes ? ofWrites : remembered.has(operation.operationId) ? {} : ofReads),
  };
  const own = Object.entries(operation.responses).map(([status, answer]) => {
    const other = edge[status];
    return [status, other ? either(answer, other) : answer] as const;
  });
  return { ...edge, ...Object.fromEntries(own) };
}
