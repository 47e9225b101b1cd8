import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';
import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { LayoutAnswer, LayoutTask } from './layout.ts';

// Runs in a thread of its own, so that the page stays quick while everything finds its place.

/** Numbers a node and an edge have in the layout's own arrays. */
const [perNode, perEdge] = [10, 3];
/** The layout stops after so many steps, or so long. */
const [mostSteps, mostMilliseconds] = [600, 12_000];
/** Where things are is told so often, in milliseconds; of more than a thousand seldom, since all of it is drawn anew then. */
const tellEvery = (count: number) => (count > 1000 ? 200 : 60);

let current = 0;

self.addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  current = data.run;
  arrange(data);
});

function arrange({ run, places, ends, slices }: LayoutTask): void {
  const { nodes, edges } = arrays(places, ends);
  const count = places.length / 2;
  const settings: Required<ForceAtlas2Settings> = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 10,
    strongGravityMode: true,
    gravity: 0.05,
    slowDown: 1 + Math.log(count),
    barnesHutOptimize: count > 500,
    barnesHutTheta: 0.7,
  };
  const begun = performance.now();
  let steps = 0;
  const slice = () => {
    // A newer picture has come meanwhile.
    if (run !== current) return;
    const from = performance.now();
    do {
      iterate(settings, nodes, edges);
      steps++;
    } while (steps < mostSteps && performance.now() - from < tellEvery(count));
    const done = steps >= mostSteps || performance.now() - begun > mostMilliseconds;
    if (slices || done) tell({ run, places: placesIn(nodes), done });
    // Of a large graph it leaves something of the processor to what draws.
    if (!done) setTimeout(slice, count > 1000 ? 60 : 0);
  };
  slice();
}

function arrays(places: Float32Array, ends: Uint32Array) {
  const nodes = new Float32Array((places.length / 2) * perNode);
  const edges = new Float32Array((ends.length / 2) * perEdge);
  for (let i = 0; i < places.length / 2; i++)
    nodes.set([places[2 * i]!, places[2 * i + 1]!, 0, 0, 0, 0, 1, 1, 1, 0], i * perNode);
  for (let i = 0; i < ends.length / 2; i++) {
    const [from, to] = [ends[2 * i]! * perNode, ends[2 * i + 1]! * perNode];
    edges.set([from, to, 1], i * perEdge);
    // What has many relationships pushes the harder.
    nodes[from + 6]! += 1;
    nodes[to + 6]! += 1;
  }
  return { nodes, edges };
}

function placesIn(nodes: Float32Array): Float32Array<ArrayBuffer> {
  const places = new Float32Array((nodes.length / perNode) * 2);
  for (let i = 0; i < places.length / 2; i++) {
    places[2 * i] = nodes[i * perNode]!;
    places[2 * i + 1] = nodes[i * perNode + 1]!;
  }
  return places;
}

function tell(answer: LayoutAnswer): void {
  self.postMessage(answer, { transfer: [answer.places.buffer] });
}
