/** The lines of interface.md, Limits; its last one by its parts. */
export const lines = [
  'Batch create / batch get: 1..100 items',
  'Relationship targets validated per write: more than 500 unique targets rejected',
  'Relationship expansion on GET entity: expand_limit 1..500, default 100',
  'Cascade depth: max_depth 1..20, default 10',
  'Graph depth: max_depth 1..4, default 4',
  'Graph result limit: 1..1000, default 100',
  'Argo query k: 1..100, default 25; k_explore 1..300',
  'Search query length: 1..500 characters',
  'Search results: 1..100 (default 10 or 20 by endpoint)',
  'Collections per multi-collection search: at most 20',
  'Collection listing: limit 1..10000 (default 1000); expansion allowed for at most 100 entities',
  'User collections listing: default 100, max 1000',
  'Events: limit 1..1000, default 100; retention 30 days',
  'Version history page: 1..10 (default 10)',
  'Invocation permission duration: 60..86400 seconds, default 3600',
  'User key expiry: 0..31536000 seconds, default 90 days',
  'Agent/klados key expiry: 1..365 days, default 365',
  'label 1..200',
  'description <= 2000',
  'role name 1..50',
  'predicate 1..50',
  'entity type 1..100',
  'rhiza version 1..50',
  'rhiza entry 1..100',
  'key label <= 100',
  'delete reason <= 500',
  'key prefix 4..12',
] as const;
export type Line = (typeof lines)[number] | `Endpoints: ${string}`;

/** Lines of endpoints that are not built yet; who builds them takes the line out here and adds its borders. */
export const laterLines: Line[] = [];
