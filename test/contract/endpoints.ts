// Every endpoint that is promised, from the documents themselves, not from the code. Each has a row in rows/. Names of path
// parameters do not matter.

/** interface.md, Endpoints, by its sections. */
const specified = {
  Auth: ['POST /auth/register', 'GET /auth/whoami'],
  Users: [
    'GET /users/me',
    'GET /users/{id}',
    'PUT /users/{id}',
    'GET /users/me/keys',
    'POST /users/me/keys',
    'DELETE /users/me/keys/{prefix}',
    'GET /users/{id}/collections',
  ],
  Collections: [
    'POST /collections',
    'GET /collections/{id}',
    'PUT /collections/{id}',
    'POST /collections/{id}/roles',
    'PUT /collections/{id}/roles/{role}',
    'DELETE /collections/{id}/roles/{role}',
    'GET /collections/{id}/members',
    'POST /collections/{id}/members',
    'DELETE /collections/{id}/members/{userId}',
    'PUT /collections/{id}/root',
    'GET /collections/{id}/entities',
  ],
  Entities: [
    'POST /entities',
    'POST /entities/batch',
    'POST /entities/batch-get',
    'GET /entities/{id}',
    'PUT /entities/{id}',
    'DELETE /entities/{id}',
    'DELETE /entities/{id}/cascade',
    'POST /entities/{id}/restore',
    'GET /entities/{id}/preview',
    'GET /entities/{id}/tip',
    'GET /entities/{id}/permissions',
    'GET /entities/{id}/diff',
    'GET /permissions',
  ],
  Relationships: ['POST /relationships', 'DELETE /relationships'],
  Graph: ['POST /graph/paths', 'POST /graph/reachable', 'GET /graph/entity/{id}'],
  Search: [
    'POST /users/me/search',
    'POST /search/similar/collections',
    'POST /search/similar/items',
    'POST /search/collections',
    'POST /search/agents',
    'POST /search/entities',
    'POST /search/discover',
  ],
  'Argo query': ['POST /query'],
  Agents: [
    'POST /agents',
    'GET /agents/{id}',
    'PUT /agents/{id}',
    'POST /agents/{id}/invoke',
    'GET /agents/{id}/jobs/{job_id}/status',
    'GET /agents/{id}/keys',
    'POST /agents/{id}/keys',
    'DELETE /agents/{id}/keys/{prefix}',
    'POST /agents/{id}/verify',
  ],
  Kladoi: [
    'POST /kladoi',
    'GET /kladoi/{id}',
    'PUT /kladoi/{id}',
    'POST /kladoi/{id}/invoke',
    'POST /kladoi/{id}/verify',
    'POST /kladoi/{id}/reinvoke',
    'GET /kladoi/{id}/keys',
    'POST /kladoi/{id}/keys',
    'DELETE /kladoi/{id}/keys/{prefix}',
  ],
  Rhizai: [
    'POST /rhizai',
    'GET /rhizai/{id}',
    'PUT /rhizai/{id}',
    'POST /rhizai/{id}/invoke',
    'GET /rhizai/{id}/jobs/{job_id}/status',
    'POST /rhizai/{id}/jobs/{job_id}/resume',
  ],
  Versions: ['GET /versions/{id}', 'GET /versions/manifest/{cid}'],
  Events: ['GET /events'],
  'Alpha invites': ['POST /alpha/invite', 'GET /alpha/invites', 'DELETE /alpha/invite/{email}'],
};

/** wire-contract.md, by its sections: what interface.md only names, and what clients use beside it. */
const beside = {
  '2.1 Files': [
    'POST /files',
    'GET /files/{id}',
    'PUT /files/{id}',
    'POST /files/{id}/content',
    'GET /files/{id}/content',
    'POST /files/{id}/reupload',
    'POST /files/{id}/confirm-upload',
    'GET /files/{id}/download',
  ],
  '2.2 Folders': [
    'POST /folders',
    'GET /folders/{id}',
    'PUT /folders/{id}',
    'POST /folders/{id}/children',
    'DELETE /folders/{id}/children/{childId}',
    'POST /folders/{id}/children/bulk',
    'POST /folders/{id}/parents',
    'DELETE /folders/{id}/parents/{parentId}',
  ],
  '2.3 Chat': ['POST /chat', 'GET /chat/sessions', 'GET /chat/sessions/{id}', 'DELETE /chat/sessions/{id}'],
  '2.4 Attestations': [
    'GET /entities/{id}/attestation',
    'GET /versions/{id}/{ver}/attestation',
    'GET /attestations/head',
    'GET /attestations/verify/{tx}',
  ],
  '2.5 Others': [
    'GET /ops-reference',
    'GET /entities/{id}/collection',
    'GET /entities/{id}/tree',
    'POST /connect',
    'POST /connect/disconnect',
  ],
  '4.4 Newer ones': [
    'POST /kladoi/{id}/invoke/batch',
    'GET /users/my/collections',
    'GET /collections/catalog',
    'GET /collections/{id}/entities/lookup',
    'GET /collections/{id}/entities/search',
    'POST /updates/additive',
    'GET /updates/queue/{id}',
    'POST /entities/{id}/content',
    'GET /entities/{id}/content',
    'PATCH /entities/{id}/content',
    'DELETE /entities/{id}/content',
    'POST /entities/{id}/content/upload-url',
    'POST /entities/{id}/content/complete',
  ],
};

export const promised: string[] = [...Object.values(specified), ...Object.values(beside)].flat();

/** A route without the names of its parameters. */
export function nameless(route: string): string {
  return route.replaceAll(/\{\w+\}/g, '{}');
}
