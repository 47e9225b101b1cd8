import { expect, test } from 'vitest';
import { derivedId } from '../../src/server/model/ids.ts';
import { startNode } from '../helpers/node.ts';
import { done, imported, verified } from '../helpers/node-archives.ts';
import { oddArchive, oddCollection, oddPeer, versionOf } from '../helpers/odd-members.ts';

/** Deletions of other programs that say all that the entity said. */
const marks = { 'a deletion': { deleted: true }, 'a deleted schema': { schema: 'arke/eidos-deleted@v1' } };

test.each(Object.entries(marks))(
  '%s that keeps properties and relationships is one as any other',
  async (name, mark) => {
    await using node = await startNode();
    const id = derivedId('main', name);
    const about = { relationships: [{ predicate: 'about', peer: oddPeer }] };
    const first = versionOf(id, about, { label: 'A letter' });
    const grave = versionOf(id, { ...about, ...mark }, { label: 'A letter' }, { ver: 2, prev: first.cid });
    await imported(node, await oddArchive([{ id, chain: [first, grave] }]));

    const listed = async (query = '') =>
      (await done<{ entities: { pi: string }[] }>(node, `GET /collections/${oddCollection}/entities${query}`)).entities;
    for (const query of ['', '?expand=preview', '?expand=full'])
      expect((await listed(query)).map(({ pi }) => pi).sort()).toEqual([oddCollection, oddPeer].sort());
    const found = await done(node, `GET /collections/${oddCollection}/entities/lookup?label=A%20letter`);
    expect(found).toMatchObject({ entities: [], count: 0 });
    expect(await done(node, `GET /node/links/${oddPeer}/incoming`)).toMatchObject({ total: 0 });
    const gone = await done(node, `GET /node/collections/${oddCollection}/deleted`);
    expect(gone).toMatchObject({ total: 1, rows: [{ id, label: 'A letter', cid: grave.cid }] });
    expect(await verified(node)).toMatchObject({ ok: true, problems: [] });

    await done(node, `POST /entities/${id}/restore`, { expect_tip: grave.cid });
    expect((await listed()).map(({ pi }) => pi)).toContain(id);
    expect(await done(node, `GET /node/links/${oddPeer}/incoming`)).toMatchObject({ total: 1 });
    expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
  },
);
