import { chown, mkdtemp, rm } from 'node:fs/promises';
import { geteuid, seteuid } from 'node:process';

export const isRoot = geteuid?.() === 0;
export const nobody = 65534;

/** A folder that others than root may come to, as that of a service. */
export async function serviceFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp('/tmp/archeion-service-');
  if (isRoot) await chown(path, nobody, nobody);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Does something as the user of the service. */
export function asService<T>(fn: () => T): T {
  if (!isRoot) return fn();
  seteuid?.(nobody);
  try {
    return fn();
  } finally {
    seteuid?.(0);
  }
}
