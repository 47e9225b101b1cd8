import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../model/addresses.ts';

/**
 * Finds the addresses of a name for a connection, without those of this machine and of private networks: a name that
 * others have chosen may mean any of them by the time that it is connected to.
 */
export function publicLookup(resolve: typeof lookup = lookup): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const open = error ? [] : found.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (error) done(error, []);
      else if (!first) done(new Error(`${host} is an address of this machine or of a private network`), []);
      else if (options.all) done(null, open);
      else done(null, first.address, first.family);
    });
  };
}
