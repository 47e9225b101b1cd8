import { pipelineRate } from '../pipeline.ts';
import { command, type Node } from '../processes.ts';
import { loopRow, plainRow, ratioRow } from '../report.ts';
import { tateFile, tateManifests, tateMapping } from './tate.ts';

/** The Tate's artworks through `archeion import` on a running node. */
export async function measureImport(node: Node): Promise<{ collection: string; entities: number; pipeline: number }> {
  const manifests = await tateManifests();
  const pipeline = pipelineRate(manifests, 100);
  node.reset();
  const args = ['import', tateFile, '--collection', 'Tate', '--map', tateMapping, '--data', node.data, '--json'];
  const { seconds } = await command(...args);
  const { p99 } = await node.loopDelay();
  plainRow('import of the Tate artworks', seconds, 's');
  const rate = manifests.length / seconds;
  ratioRow('import', rate, 'entities/s', { name: 'pipeline, same records', value: pipeline }, 0.5);
  loopRow('import', p99);
  plainRow('memory after the import, peak', node.memory().peak, 'MB');
  return { collection: await collectionNamed(node, 'Tate'), entities: manifests.length, pipeline };
}

async function collectionNamed(node: Node, label: string): Promise<string> {
  const me = (await (await fetch(`${node.url}/users/me`, { headers: node.headers })).json()) as { id: string };
  const answer = await fetch(`${node.url}/users/${me.id}/collections`, { headers: node.headers });
  const { collections } = (await answer.json()) as { collections: { id: string; label: string }[] };
  const found = collections.find((collection) => collection.label === label);
  if (!found) throw new Error(`the import made no collection ${label}`);
  return found.id;
}
