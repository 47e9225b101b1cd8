import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Identity, type IdentityOptions } from '../../src/server/store/accounts/identity.ts';

/** A clock that stands until it is moved. */
export interface Clock {
  ms: number;
}

/** Bytes that differ from call to call and are the same in every run. */
function knownBytes(): (size: number) => Uint8Array {
  let calls = 0;
  return (size) => hash('sha256', `call ${calls++}`, 'buffer').subarray(0, size);
}

export interface TestIdentity {
  identity: Identity;
  clock: Clock;
  folder: string;
  /** Closes it and opens it anew on the same folder. */
  reopen: () => Identity;
  [Symbol.dispose]: () => void;
}

export const startOfTime = Date.UTC(2026, 0, 1);

/** An Identity over a folder of its own, with a clock and randomness that the test knows. */
export function openIdentity(options: Partial<Omit<IdentityOptions, 'now'>> = {}): TestIdentity {
  const folder = mkdtempSync(join(tmpdir(), 'archeion-identity-'));
  const clock: Clock = { ms: startOfTime };
  const randomBytes = knownBytes();
  const open = () => new Identity(folder, { now: () => clock.ms, randomBytes, ...options });
  const opened: TestIdentity = {
    identity: open(),
    clock,
    folder,
    reopen() {
      opened.identity.close();
      opened.identity = open();
      return opened.identity;
    },
    [Symbol.dispose]() {
      opened.identity.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return opened;
}
