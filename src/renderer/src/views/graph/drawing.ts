import { DirectedGraph } from 'graphology';
import type { DrawingColours } from './colours.ts';
import { type GraphEdge, type GraphNode, lineOf, type Picture } from './picture.ts';
import type { Place } from './places.ts';

/** How an entity is drawn. */
export interface DrawnNode extends Place {
  label: string;
  size: number;
  color: string;
  type: 'circle' | 'point';
  forceLabel: boolean;
  highlighted: boolean;
}

/** How the relationships from one entity to another are drawn: as one line. */
export interface DrawnEdge {
  label: string;
  size: number;
  color: string;
  type: 'arrow' | 'line';
}

export type Drawing = DirectedGraph<DrawnNode, DrawnEdge>;

/**
 * More relationships than this are drawn as hair lines without their directions, which nobody could see, and entities as
 * points: that is one step each for whatever draws, where arrows and circles are one for each of them. It counts where
 * there is no graphics card.
 */
const mostArrows = 400;

export function drawingOf(
  picture: Picture,
  places: ReadonlyMap<string, Place>,
  colours: DrawingColours,
  active: string | null,
): Drawing {
  const graph: Drawing = new DirectedGraph();
  const degrees = degreesOf(picture);
  const plain = picture.edges.length > mostArrows;
  const few = picture.nodes.length <= 40;
  for (const node of picture.nodes) {
    const place = places.get(node.id) ?? { x: 0, y: 0 };
    graph.addNode(node.id, {
      ...place,
      label: nameOf(node, 32),
      size: sizeOf(node, degrees.get(node.id) ?? 0, picture.nodes.length),
      color: colours.type(node.type),
      type: plain ? 'point' : 'circle',
      forceLabel: few || node.open || node.onPath,
      highlighted: node.id === active,
    });
  }
  for (const [from, to, edges] of pairsOf(picture.edges)) {
    const onPath = edges.some((edge) => edge.onPath);
    graph.addDirectedEdge(from, to, {
      label: lineOf(edges.map(({ predicate }) => predicate).join(', '), 40),
      size: onPath ? 4 : plain ? 1 : 2,
      color: onPath ? colours.accent : colours.line,
      type: plain ? 'line' : 'arrow',
    });
  }
  return graph;
}

/** What an entity is called in a drawing. */
export function nameOf({ id, label }: Pick<GraphNode, 'id' | 'label'>, most?: number): string {
  return lineOf(label, most) || id;
}

/** The radius of an entity with so many relationships, among so many entities. */
export function sizeOf({ open, onPath }: GraphNode, degree: number, among: number): number {
  const crowd = among > 1500 ? 0.45 : among > 400 ? 0.7 : 1;
  return crowd * (Math.min(18, 4 + 1.6 * Math.log2(1 + degree)) + (open || onPath ? 2 : 0));
}

export function degreesOf({ edges }: Picture): Map<string, number> {
  const degrees = new Map<string, number>();
  for (const { from, to } of edges) for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  return degrees;
}

/** The relationships from one entity to another together. Those to itself are for the list alone. */
export function pairsOf(edges: readonly GraphEdge[]): [from: string, to: string, edges: GraphEdge[]][] {
  const pairs = new Map<string, [string, string, GraphEdge[]]>();
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    const key = `${edge.from} ${edge.to}`;
    const pair = pairs.get(key);
    if (pair) pair[2].push(edge);
    else pairs.set(key, [edge.from, edge.to, [edge]]);
  }
  return [...pairs.values()];
}
