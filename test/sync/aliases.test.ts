import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { addRemote, keyOf, startPair } from './nodes.ts';

const idsOfOperator = ({ ctx: { identity } }: TestNode) => identity.ensureOperator().account.ids.main;

test('who the operator is to a remote is put right when the node starts, whatever a kill has left undone', async () => {
  await using folder = await temporaryFolder();
  await using pair = await startPair();
  const { origin, curator } = pair;
  let own = '';
  {
    await using first = await startNode({ data: folder.path });
    own = idsOfOperator(first)[0] ?? '';
    await addRemote(first, operator(first), { url: origin.url, key: keyOf(curator) });
    expect(idsOfOperator(first)).toEqual([own, curator.id]);
    first.ctx.identity.setAliases(own, 'main', ['01J000000000000000000000R1']);
  }
  await using second = await startNode({ data: folder.path });
  expect(idsOfOperator(second)).toEqual([own, curator.id]);
});
