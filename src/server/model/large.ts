/** Bytes of JSON, in a body or in a manifest, that are handled on the event loop at most: about 5 ms of work. */
export const maxOnLoop = 128 * 1024;

/**
 * Versions that are read where a request does not name them: a page of a history, the version before the one that is compared
 * with it, or any that the entity has.
 */
export type UnnamedVersions = 'page' | 'previous' | 'any';
