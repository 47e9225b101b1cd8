declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';

  /** One step, in place: ten numbers for each node, three for each edge. */
  const iterate: (settings: ForceAtlas2Settings, nodes: Float32Array, edges: Float32Array) => object;
  export = iterate;
}
