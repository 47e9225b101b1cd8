import { createRequire } from 'node:module';

/** Node's own. Imported as the others are, it would load a client of WebSockets, which stays resident: some 14 MB. */
export const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
