import type { TreeEntry } from '../../store/graph/tree-reads.ts';
import type { TreeNode } from './wire.ts';

/** The tree of a list in which parents come before their children. */
export function nested(entries: TreeEntry[]): { root: TreeNode; total_nodes: number } {
  const nodes: TreeNode[] = [];
  for (const { id, type, label, depth, parent } of entries) {
    const node: TreeNode = { id, pi: id, label, type, depth, children: [] };
    nodes.push(node);
    nodes[parent]?.children.push(node);
  }
  const [root] = nodes;
  if (!root) throw new Error('a tree has a root');
  return { root, total_nodes: nodes.length };
}
