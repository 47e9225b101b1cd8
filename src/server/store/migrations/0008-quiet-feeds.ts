/**
 * A remote that showed no event counted as read to its end, whatever it had (SPEC.md, F7): those that have are looked through once.
 */
export const quietFeeds = `UPDATE remote_run SET level = NULL
  WHERE head = 0 OR remote NOT IN (SELECT remote FROM remote_seen)`;
