import { monotonicFactory } from 'ulid';
import { anonymous, jwtOf, jwtSecret, operator, service, user } from '../helpers/callers.ts';
import { startChatEndpoint } from '../helpers/chat-endpoint.ts';
import { collection, enrol } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import type { Scene } from './row.ts';

/** What X-Alpha-Secret must say to the scene's node. */
export const alphaSecret = 'let people in';

/** A node with people and a collection; its clock stands at the start of a minute and is moved by hand. */
export async function openScene(): Promise<Scene & AsyncDisposable> {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  await using opened = new AsyncDisposableStack();
  const endpoint = opened.use(await startChatEndpoint());
  const env = { ARCHEION_JWT_SECRET: jwtSecret, ARCHEION_ALPHA_SECRET: alphaSecret, ...endpoint.env };
  const node = opened.use(await startNode({ now: () => clock.ms, env, writer: 'thread' }));
  const [owner, editor, viewer, stranger] = [
    await user(node, 'owner'),
    await user(node, 'editor'),
    await user(node, 'viewer'),
    await user(node, 'stranger'),
  ];
  const made = await collection(node, owner);
  await enrol(node, owner, made.id, editor, 'editor');
  await enrol(node, owner, made.id, viewer, 'viewer');
  const ulid = monotonicFactory();
  const unregistered = await jwtOf('nobody', clock.ms);
  const all = opened.move();
  return {
    node,
    clock,
    owner,
    editor,
    viewer,
    stranger,
    operator: operator(node),
    service: service(node),
    anonymous,
    unregistered,
    collection: made,
    newId: () => ulid(clock.ms),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
