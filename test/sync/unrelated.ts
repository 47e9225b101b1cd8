import type { Relation } from '../../src/server/sync/state.ts';

/** How a plain remote's tip lies to the tip here where nothing is known of either: what a test is about it says over this. */
export const unrelated: Relation = {
  ...{ descends: false, echoes: false, ahead: false, back: false, elsewhere: false },
  ...{ returns: false, alternates: false, crossed: false, common: null, node: false, reset: false },
};
