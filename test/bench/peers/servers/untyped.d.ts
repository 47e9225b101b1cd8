// What of these packages is used here; they come without types.
declare module 'pouchdb-core' {
  interface Databases {
    plugin(plugin: object): Databases;
    defaults(options: { prefix: string; db: (place: string) => object }): Databases;
  }
  const databases: Databases;
  export = databases;
}
declare module 'leveldown' {
  namespace leveldown {
    interface Leveldb {
      _batch(operations: object[], options: { sync?: boolean }, done: (error?: Error) => void): void;
    }
  }
  function leveldown(place: string): leveldown.Leveldb;
  export = leveldown;
}
declare module 'express-pouchdb' {
  import type { RequestHandler } from 'express';

  function serve(databases: object, options: object): RequestHandler;
  export = serve;
}
// All others are plugins.
declare module 'pouchdb-*' {
  const plugin: object;
  export = plugin;
}
