import { expect, test } from 'vitest';
import { loadedOnce } from '../../src/server/model/loaded-once.ts';
import { McpService } from '../../src/server/resources/mcp/service.ts';

test('what is loaded is loaded once, for all who ask for it at once', async () => {
  let loads = 0;
  const load = loadedOnce(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('a tool server that could not be loaded is loaded again for the next message', async () => {
  let loads = 0;
  const service = new McpService(async () => {
    if (++loads === 1) throw new Error('EMFILE: too many open files');
    return async () => ({ status: 200, json: '{}' });
  });
  const actor = { kind: 'user' as const, id: 'u', ids: ['u'], operator: false };
  const ask = () => service.answer({ actor, network: 'main' }, { message: {}, protocol: undefined });
  await expect(ask()).rejects.toThrow('EMFILE');
  expect(await ask()).toEqual({ status: 200, json: '{}' });
  expect(await ask()).toEqual({ status: 200, json: '{}' });
  expect(loads).toBe(2);
});
