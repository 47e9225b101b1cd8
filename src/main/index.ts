import { app, dialog } from 'electron';
import { type ServerProcess, startServer } from './server-process.ts';
import { focusWindow, openWindow } from './window.ts';

let server: ServerProcess | undefined;
let quitting = false;

async function start(): Promise<void> {
  await app.whenReady();
  server = startServer();
  server.onExit((code) => {
    if (!quitting) fail(`The node stopped unexpectedly (code ${code}).`);
  });
  openWindow(await server.url, server.token);
}

function fail(sentence: string): void {
  quitting = true;
  dialog.showErrorBox('Archeion', sentence);
  app.exit(1);
}

async function quit(): Promise<void> {
  quitting = true;
  await server?.stop();
  app.exit(0);
}

if (app.requestSingleInstanceLock()) {
  app.on('second-instance', focusWindow);
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', (event) => {
    // The first request to quit waits for the node to close its store; `app.exit` then ends without asking again.
    event.preventDefault();
    if (!quitting) void quit();
  });
  start().catch((error: unknown) => {
    if (!quitting) fail(error instanceof Error ? error.message : String(error));
  });
} else {
  app.quit();
}
