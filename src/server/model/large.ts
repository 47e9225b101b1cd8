/** Bytes of JSON, in a body or in a manifest, that are handled on the event loop at most: about 5 ms of work. */
export const maxOnLoop = 128 * 1024;
