import type { TreeEntry } from '../../store/graph/tree-reads.ts';
import type { TreeNode } from './wire.ts';

/**
 * The tree of a list in which parents come before their children. What the caller may not view stays as a node without
 * a label, and nothing below it is shown (decisions.md, deleted or unreadable partners in lists).
 */
export function nested(
  entries: TreeEntry[],
  mayView: (entry: TreeEntry) => boolean,
): { root: TreeNode; total_nodes: number } {
  const nodes: (TreeNode | null)[] = [];
  let total = 0;
  for (const entry of entries) {
    const { id, type, depth, parent } = entry;
    const above = nodes[parent];
    const hidden = parent >= 0 && !above;
    const visible = !hidden && mayView(entry);
    const node: TreeNode = { id, pi: id, label: visible ? entry.label : '', type, depth, children: [] };
    nodes.push(visible ? node : null);
    if (hidden) continue;
    total++;
    above?.children.push(node);
  }
  const [root] = nodes;
  if (!root) throw new Error('a tree has a root');
  return { root, total_nodes: total };
}
