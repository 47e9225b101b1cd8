import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';

/** Whether a command gets a process group of its own, so that what it starts can be ended with it. */
export const ownGroup = platform() !== 'win32';

/** Sends a signal to a command and to everything that it has started and that has not left its group. */
export function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (!ownGroup) {
    spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () =>
      child.kill(signal),
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
