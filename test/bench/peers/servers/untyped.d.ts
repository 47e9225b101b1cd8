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
// All others are plugins.
declare module 'pouchdb-*' {
  const plugin: object;
  export = plugin;
}
