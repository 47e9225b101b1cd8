import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { safeStorage } from 'electron';
import { z } from 'zod';

const bounds = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
/** What the shell remembers from one start to the next; a part that cannot be used counts as not set. */
const file = z.object({
  /** The data folder that was chosen, null for the usual one. */
  data: z.string().refine(isAbsolute).nullable().catch(null),
  window: z.object({ bounds, maximized: z.boolean() }).nullable().catch(null),
  /** The key that seals remotes' keys, encrypted by the system's keyring, as base64. */
  sealed: z.string().nullable().catch(null),
  /** Whether it was said that there is no keyring. */
  warned: z.boolean().catch(false),
});
export type Settings = z.infer<typeof file>;
export type SettingsFile = ReturnType<typeof openSettings>;
export type Seal = { key: string; lack: null } | { key: null; lack: 'unsealed' | 'sealFailed' };

/** The shell's own file. `update` says whether it is on the disk; what makes no sense is moved to `aside`. @throws as `read` */
export function openSettings(path: string) {
  return {
    ...read(path),
    update(part: Partial<Settings>): boolean {
      this.current = { ...this.current, ...part };
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(`${path}.new`, JSON.stringify(this.current), { mode: 0o600, flush: true });
        renameSync(`${path}.new`, path);
        return true;
      } catch (error) {
        console.error(`The settings of the window could not be kept: ${error}`);
        return false;
      }
    },
  };
}

/** The key that the node seals remotes' keys with: 32 bytes as base64url, the same at each start. None without a keyring. */
export async function sealKey(settings: SettingsFile, platform: string): Promise<Seal> {
  try {
    // What Electron would do there could be undone by anybody.
    const isBare = () => ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend());
    if (!(await safeStorage.isAsyncEncryptionAvailable()) || (platform === 'linux' && isBare()))
      return { key: null, lack: 'unsealed' };
    const { sealed } = settings.current;
    const found = sealed === null ? null : await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'));
    if (found && !found.shouldReEncrypt) return { key: found.result, lack: null };
    const key = found?.result ?? randomBytes(32).toString('base64url');
    const made = (await safeStorage.encryptStringAsync(key)).toString('base64');
    // What a new key seals that is lost at the end could never be read again.
    if (settings.update({ sealed: made }) || found) return { key, lack: null };
  } catch (error) {
    // A keyring that is locked or was made anew. The sealed key stays: it may be good again another time.
    console.error(`The system's keyring gave nothing: ${error}`);
  }
  return { key: null, lack: 'sealFailed' };
}

/** @throws what cannot be read now, or not be moved away: it would be written over */
function read(path: string): { current: Settings; aside: string | null } {
  const content = statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : '{}';
  try {
    return { current: file.parse(JSON.parse(content)), aside: null };
  } catch {
    const aside = `${path}.${Date.now()}`;
    renameSync(path, aside);
    return { current: file.parse({}), aside };
  }
}
