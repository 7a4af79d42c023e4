import type { Range, TreeNode } from '../../../infra/merkle.ts'

/**
 * Roots of complete subtrees are stored at these levels, leaves being level 0. A proof reads at most 128 rows for a
 * hash that it needs, up to a log of four thousand million entries; above that it reads more.
 */
export const keptLevels = [0, 8, 16, 24]

export function isKept(node: TreeNode): boolean {
  return keptLevels.includes(node.level)
}

/** The highest stored level on which the subtree's root can be built. */
export function levelUnder(subtree: Range): number {
  return keptLevels.findLast((level) => 2 ** level <= subtree.to - subtree.from)!
}
