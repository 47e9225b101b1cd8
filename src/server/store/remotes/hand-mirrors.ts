import type { Writer } from '../connection.ts';

/**
 * Collections that came from a remote which is removed are mirrored from another one that has them, one that takes changes first;
 * where no remote that is read does, they belong to this node.
 */
export function handMirrors(db: Writer, remote: number): void {
  db.run(
    `UPDATE entity SET mirror = (
       SELECT k.remote FROM remote_entity k JOIN remote r ON r.key = k.remote
        WHERE k.entity = entity.key AND k.remote <> ? AND k.theirs IS NOT NULL AND r.direction <> 'push'
        ORDER BY r.secret IS NULL OR r.direction = 'pull', r.key LIMIT 1)
      WHERE mirror = ?`,
    remote,
    remote,
  );
}
