import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';

/** Whether a command gets a process group of its own, so that what it starts can be ended with it. */
export const ownGroup = platform() !== 'win32';

/** Sends a signal to a command and to everything that it has started and that has not left its group. */
export function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined) signalTree(child.pid, signal, () => child.kill(signal));
}

/** Kills the same of a command that is not a child of this process, by the id of its own. */
export function killGroup(pid: number): void {
  signalTree(pid, 'SIGKILL', () => undefined);
}

function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL', otherwise: () => void): void {
  if (!ownGroup) {
    const kill = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    kill.on('error', otherwise);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
