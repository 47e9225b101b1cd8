import { Worker } from 'node:worker_threads';
import { vi } from 'vitest';

/** Keeps what is submitted to writer threads on its way to them until it is opened, or disposed of. */
export function writerGate() {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const { postMessage } = Worker.prototype;
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message, transfer) {
    const send = () => postMessage.call(this, message, transfer);
    if (!isOpen && typeof message === 'object' && message !== null && 'submissions' in message) waiting.push(send);
    else send();
  });
  const open = () => {
    isOpen = true;
    for (const send of waiting.splice(0)) send();
  };
  return {
    open,
    [Symbol.dispose]() {
      open();
      spy.mockRestore();
    },
  };
}
