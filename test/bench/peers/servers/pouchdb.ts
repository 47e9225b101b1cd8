import express from 'express';
import expressPouchDB from 'express-pouchdb';
import http from 'pouchdb-adapter-http';
import leveldb from 'pouchdb-adapter-leveldb';
import PouchDB from 'pouchdb-core';
import find from 'pouchdb-find';
import mapReduce from 'pouchdb-mapreduce';
import replication from 'pouchdb-replication';
import { listen } from './ready.ts';

// PouchDB Server: a CouchDB's interface over leveldb, which is told to sync every write to the disk.
const [folder = ''] = process.argv.slice(2);
PouchDB.plugin(leveldb).plugin(http).plugin(mapReduce).plugin(replication).plugin(find);
const Databases = PouchDB.defaults({ prefix: `${folder}/`, sync: true });
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
