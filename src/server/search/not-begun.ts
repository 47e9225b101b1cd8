import type { IndexStand } from './index-slice.ts';

/** Where an index stands before the first slice. */
export const notBegun: IndexStand = { cursor: 0, last: 0, behind: true, learning: true, serving: null, unread: [] };
