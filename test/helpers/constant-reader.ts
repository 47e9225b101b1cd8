import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

// Reads a database without a moment in which nobody does: the next snapshot begins before the last one ends.

const { file } = workerData as { file: string };
const open = () => new Database(file, { readonly: true });
let [reading, next] = [open(), open()];
const begin = (db: Database.Database) => {
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM part').get();
};
begin(reading);
parentPort?.postMessage('reading');
let stop = false;
parentPort?.once('message', () => {
  stop = true;
});
while (!stop) {
  begin(next);
  reading.exec('COMMIT');
  [reading, next] = [next, reading];
  await new Promise((resolve) => setTimeout(resolve, 5));
}
reading.close();
next.close();
