import { z } from 'zod';
import type { Network } from '../model/ids.ts';

/** The name of the file that describes a backup. */
export const manifestName = 'backup.json';
export const backupFormat = 'archeion/backup@v1';

/** A file below the backup's folder; `path` with slashes, `sha256` in hex. */
export interface BackedUpFile {
  path: string;
  size: number;
  sha256: string;
}

/** What a network has. `missing_files`: that versions name and that were not here; earlier backups do not say it. */
export interface BackedUpNetwork {
  network: Network;
  entities: number;
  versions: number;
  moves: number;
  missing_files?: number | undefined;
}

/** What a backup holds, and what restoring checks it against. */
export interface BackupManifest {
  format: typeof backupFormat;
  /** Of the program that made it. */
  version: string;
  /** The node that it is of. */
  instance: string;
  /** ISO 8601. */
  time: string;
  networks: BackedUpNetwork[];
  files: BackedUpFile[];
}

/** Nothing else is ever in a backup, so that no path leads out of the folder. */
const paths =
  /^(?:identity\.db|chat\.db|operator\.key|(?:main|test)\/(?:archeion|attest)\.db|(?:main|test)\/files\/[a-z0-9]{2}\/[a-z0-9]{50,80})$/;

const count = z.number().int().min(0);

export const backupManifest = z.object({
  format: z.literal(backupFormat),
  version: z.string(),
  instance: z.string(),
  time: z.string(),
  networks: z.array(
    z.object({
      ...{ network: z.enum(['main', 'test']), entities: count, versions: count, moves: count },
      missing_files: count.optional(),
    }),
  ),
  files: z.array(z.object({ path: z.string().regex(paths), size: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});
