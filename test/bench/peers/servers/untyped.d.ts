// What of these packages is used here; they come without types.
declare module 'pouchdb-core' {
  interface Databases {
    plugin(plugin: object): Databases;
    defaults(options: { prefix: string; sync: boolean }): Databases;
  }
  const databases: Databases;
  export = databases;
}
declare module 'express-pouchdb' {
  import type { RequestHandler } from 'express';

  function serve(databases: object, options: object): RequestHandler;
  export = serve;
}
declare module 'pouchdb-adapter-http' {
  const plugin: object;
  export = plugin;
}
declare module 'pouchdb-adapter-leveldb' {
  const plugin: object;
  export = plugin;
}
declare module 'pouchdb-find' {
  const plugin: object;
  export = plugin;
}
declare module 'pouchdb-mapreduce' {
  const plugin: object;
  export = plugin;
}
declare module 'pouchdb-replication' {
  const plugin: object;
  export = plugin;
}
