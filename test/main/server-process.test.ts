import { afterEach, describe, expect, test, vi } from 'vitest';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

const { startServer } = await import('../../src/main/server-process.ts');
const { told } = await import('./electron.ts');

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  told.children.length = 0;
});

function started(wishes: Partial<Parameters<typeof startServer>[0]> = {}) {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const server = startServer({ port: 0, data: null, sealKey: null, ...wishes });
  const child = told.children.at(-1);
  if (!child) throw new Error('Nothing was started.');
  return { server, child };
}

describe('the process of the node', () => {
  test('runs on loopback, with its secrets in the environment and not on the command line', () => {
    const { server, child } = started({ port: 4123, data: '/archive', sealKey: 'k'.repeat(43) });
    expect(child.path).toMatch(/cli\.js$/);
    expect(child.args).toEqual(['serve', '--host', '127.0.0.1', '--port', '4123']);
    expect(child.options.env).toMatchObject({
      ARCHEION_RUN_TOKEN: server.token,
      ARCHEION_SEAL_KEY: 'k'.repeat(43),
      ARCHEION_DATA: '/archive',
      PATH: process.env.PATH,
    });
    expect(server.token).toMatch(/^[\w-]{43}$/);
    expect(started().server.token).not.toBe(server.token);
  });

  test('takes what the user has set rather than what the shell remembers', () => {
    vi.stubEnv('ARCHEION_DATA', '/mine');
    const { child } = started({ data: '/archive' });
    expect(child.options.env.ARCHEION_DATA).toBe('/mine');
    expect(child.options.env).not.toHaveProperty('ARCHEION_SEAL_KEY');
  });

  test('is ready with its line, whatever it says before', async () => {
    const { server, child } = started();
    child.stdout.write('warming up\n{"ready":{"url":"http://127.0.0.1:4123"}}\n');
    expect(await server.url).toBe('http://127.0.0.1:4123');
  });

  test('ends with its own sentence, and the logs before it left out', async () => {
    const { server, child } = started();
    child.stderr.write('{"level":"error","label":"one\u2028two"}\narcheion: The data folder is in use.\n');
    await expect.poll(() => vi.mocked(console.error).mock.calls.length).toBe(2);
    child.emit('exit', 1);
    expect(await server.ended).toEqual({ code: 1, words: 'The data folder is in use.' });
  });

  test('may end for want of memory, which is said and is no error of the shell', async () => {
    const { server, child } = started();
    child.emit('error', 'FatalError', 'Reached heap limit', '{}');
    child.emit('exit', 5);
    expect(await server.ended).toEqual({ code: 5, words: 'FatalError: Reached heap limit' });
  });

  test('is asked to end, and not killed when it does', async () => {
    const { server, child } = started();
    const stopped = server.stop();
    expect(child.posted).toEqual(['stop']);
    child.emit('exit', 0);
    await stopped;
    expect(child.killed).toBe(false);
  });

  test('is killed when it does not end within ten seconds', async () => {
    vi.useFakeTimers();
    const { server, child } = started();
    const stopped = server.stop();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(child.killed).toBe(false);
    const done = vi.fn();
    void stopped.then(done);
    await vi.advanceTimersByTimeAsync(1);
    expect([child.killed, done.mock.calls.length]).toEqual([true, 0]);
    child.emit('exit', 1);
    await stopped;
  });

  test('is waited for no longer than ten more where it does not end at all', async () => {
    vi.useFakeTimers();
    const stopped = started().server.stop();
    await vi.advanceTimersByTimeAsync(20_000);
    await stopped;
  });
});
