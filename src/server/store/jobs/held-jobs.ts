import Database from 'better-sqlite3';

const words =
  'the node was restored from a backup, and what may have been done since is not done again: repeat it once its permissions have ended, or start it anew';

/**
 * Lets nothing in the database of a restored network be sent or begun again: the node that was backed up has gone on since,
 * and may still run. Of what waited or was under way nobody knows what became of it; a processor's answer stays, unless the
 * processor ran within that node. `time`: when the backup was made, epoch milliseconds; what had ended by then stays as it is.
 * Gives the number of jobs, with those that batches have not become yet.
 */
export function holdJobs(file: string, time: number): number {
  const db = new Database(file, { fileMustExist: true });
  try {
    return db.transaction(() => holdAll(db, time))();
  } finally {
    db.close();
  }
}

function holdAll(db: Database.Database, time: number): number {
  const jobs = db
    .prepare(
      `UPDATE job SET state = 'unknown', error = ? WHERE expires > ? AND (state IN ('queued', 'sent') OR state = 'accepted'
         AND EXISTS (SELECT 1 FROM entity e WHERE e.id = job.processor
           AND json_extract(e.json, '$.properties.endpoint') LIKE 'exec:%')
         AND NOT EXISTS (SELECT 1 FROM job_log l WHERE l.job = job.id AND l.klados = job.processor
           AND l.author = job.processor AND l.status <> 'running'))`,
    )
    .run(words, time).changes;
  const open = "next < total AND json_extract(body, '$.job.expires') > ?";
  const rest = db.prepare(`SELECT total(total - next) FROM job_batch WHERE ${open}`).pluck().get(time) as number;
  db.prepare(`UPDATE job_batch SET body = json_set(body, '$.held', ?) WHERE ${open}`).run(words, time);
  return jobs + rest;
}
