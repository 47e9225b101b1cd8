import type { Manifest } from '../model/manifest.ts';
import { contentHash } from '../store/content-hash.ts';
import type { Version } from './state.ts';

export function versionOf(cid: string, manifest: Manifest): Version {
  return { cid, ver: manifest.ver, content: contentHash(manifest), deleted: manifest.deleted === true };
}
