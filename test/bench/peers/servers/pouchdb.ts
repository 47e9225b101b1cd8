import express from 'express';
import expressPouchDB from 'express-pouchdb';
import leveldown from 'leveldown';
import http from 'pouchdb-adapter-http';
import leveldb from 'pouchdb-adapter-leveldb';
import PouchDB from 'pouchdb-core';
import find from 'pouchdb-find';
import mapReduce from 'pouchdb-mapreduce';
import replication from 'pouchdb-replication';
import { listen } from './ready.ts';

// PouchDB Server: a CouchDB's interface over leveldb.
const [folder = ''] = process.argv.slice(2);
PouchDB.plugin(leveldb).plugin(http).plugin(mapReduce).plugin(replication).plugin(find);
const Databases = PouchDB.defaults({ prefix: `${folder}/`, db: synced });
const app = express();
app.use(
  expressPouchDB(Databases, {
    mode: 'minimumForPouchDB',
    inMemoryConfig: true,
    overrideMode: { include: ['routes/replicate'] },
  }),
);
listen(app);
process.on('SIGTERM', () => process.exit(0));

/** leveldb with every write on the disk before it is answered, for which PouchDB has no setting. */
function synced(place: string): leveldown.Leveldb {
  const db = leveldown(place);
  const write = db._batch.bind(db);
  db._batch = (operations, options, done) => write(operations, { ...options, sync: true }, done);
  return db;
}
