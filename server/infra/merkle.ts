import { hash as digest } from 'node:crypto'

/** The hash tree of RFC 6962, section 2.1: what a transparency log commits to. Nothing here knows what a leaf says. */

const hashBytes = 32

/** The leaves [from, to) of a tree, and the root of the subtree over them. */
export interface Range {
  from: number
  to: number
}
export interface Part extends Range {
  hash: Buffer
}

/** A complete subtree: the `position`-th of those with 2^level leaves. */
export interface TreeNode {
  level: number
  position: number
  hash: Buffer
}

/** The roots of the complete subtrees that make up a tree, left to right: all that adding a leaf needs. */
export interface Frontier {
  size: number
  roots: Buffer[]
}

// Leaves and nodes differ in their first byte, so that no node can be passed off as a leaf.
const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

export function leafHash(data: string | Buffer): Buffer {
  if (typeof data !== 'string') return sha256(leafPrefix, data)
  // A character is three bytes at most.
  if (data.length * 3 >= room.length) return sha256(leafPrefix, Buffer.from(data))
  return digest('sha256', room.subarray(0, 1 + room.write(data, 1)), 'buffer')
}

/** Where one leaf after the other is written behind its prefix: most are small, and there are many of them. */
const room = Buffer.alloc(8_192)

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(nodePrefix, left, right)
}

export function emptyFrontier(): Frontier {
  return { size: 0, roots: [] }
}

/** Adds a leaf in place, and reports each subtree that it completes. */
export function addLeaf(
  frontier: Frontier,
  leaf: Buffer,
  completed: (node: TreeNode) => void = () => {},
): void {
  let hash = leaf
  let level = 0
  let position = frontier.size
  while (position % 2 === 1) {
    hash = nodeHash(frontier.roots.pop()!, hash)
    level += 1
    position = (position - 1) / 2
    completed({ level, position, hash })
  }
  frontier.roots.push(hash)
  frontier.size += 1
}

export function rootOf(frontier: Frontier): Buffer {
  if (frontier.size === 0) return sha256()
  return frontier.roots.reduceRight((right, left) => nodeHash(left, right))
}

/** The root over a row of hashes: leaves, or the nodes of one level. */
export function rootOfRow(hashes: Iterable<Buffer>): Buffer {
  const frontier = emptyFrontier()
  for (const hash of hashes) addLeaf(frontier, hash)
  return rootOf(frontier)
}

export function encodeFrontier(frontier: Frontier): Buffer {
  return Buffer.concat(frontier.roots)
}

/** Null when the bytes cannot be the frontier of a tree of that size. */
export function decodeFrontier(size: number, bytes: Buffer): Frontier | null {
  const roots = splitHashes(bytes)
  return roots && roots.length === completeSubtrees({ from: 0, to: size }).length ? { size, roots } : null
}

export function splitHashes(bytes: Buffer): Buffer[] | null {
  if (bytes.length % hashBytes !== 0) return null
  return Array.from({ length: bytes.length / hashBytes }, (_, index) =>
    bytes.subarray(index * hashBytes, (index + 1) * hashBytes),
  )
}

/**
 * The complete subtrees that make up a range, left to right. The range must be one of the tree's own: it begins
 * where a subtree at least as large as itself begins.
 */
export function completeSubtrees({ from, to }: Range): Range[] {
  const subtrees: Range[] = []
  for (let start = from; start < to; start = subtrees.at(-1)!.to) {
    subtrees.push({ from: start, to: start + largestPowerUpTo(to - start) })
  }
  return subtrees
}

/**
 * The largest subtrees of a tree of `size` leaves that hold none of the positions: with the leaves at these
 * positions they make up the tree. Positions are ascending, each once, all below `size`.
 */
export function rangesBeside(size: number, positions: number[]): Range[] {
  const ranges: Range[] = []
  const walk = (from: number, to: number, first: number, past: number): void => {
    if (first === past) ranges.push({ from, to })
    else if (to - from > 1) {
      const middle = from + leftLeaves(to - from)
      const cut = firstNotBelow(positions, middle, first, past)
      walk(from, middle, first, cut)
      walk(middle, to, cut, past)
    }
  }
  if (size > 0) walk(0, size, 0, positions.length)
  return ranges
}

/**
 * The root of the tree that the parts make up; null unless they lie side by side from 0 to `size` along the
 * tree's own cuts. Each part is used exactly once, so a hash beside the tree cannot ride along unproven.
 */
export function rootOfParts(size: number, parts: Part[]): Buffer | null {
  const inOrder = parts.toSorted((a, b) => a.from - b.from)
  let next = 0
  const build = (from: number, to: number): Buffer | null => {
    const part = inOrder[next]
    if (part?.from === from && part.to === to) {
      next += 1
      return part.hash.length === hashBytes ? part.hash : null
    }
    if (part?.from !== from || to - from <= 1) return null
    const middle = from + leftLeaves(to - from)
    const left = build(from, middle)
    const right = left && build(middle, to)
    return left && right && nodeHash(left, right)
  }
  const root = size > 0 ? build(0, size) : rootOf(emptyFrontier())
  return next === parts.length ? root : null
}

/**
 * The same for more parts than are to be held in memory: they are handed in from left to right, and only the roots of
 * complete subtrees are kept, of which there are as many as a number has digits.
 */
export class PartsInOrder {
  readonly #kept: Part[] = []
  #fits = true

  add(part: Part): void {
    const next = this.#kept.at(-1)?.to ?? 0
    this.#fits &&= part.from === next && part.to > part.from && part.hash.length === hashBytes
    if (!this.#fits) return
    let right = part
    for (let left = this.#kept.at(-1); left && areTwins(left, right); left = this.#kept.at(-1)) {
      this.#kept.pop()
      right = { from: left.from, to: right.to, hash: nodeHash(left.hash, right.hash) }
    }
    this.#kept.push(right)
  }

  /** Null unless the parts make up a tree of that size, along its own cuts. */
  root(size: number): Buffer | null {
    if (!this.#fits || (this.#kept.at(-1)?.to ?? 0) !== size) return null
    if (size === 0) return rootOf(emptyFrontier())
    // What is left of the last one has to be what the tree has there: each half of what remains, the larger one first.
    const cuts = this.#kept.slice(0, -1)
    if (cuts.some(({ from, to }) => to - from !== leftLeaves(size - from))) return null
    return this.#kept.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right))
  }
}

/** Whether two neighbours are the halves of one complete subtree. */
function areTwins(left: Range, right: Range): boolean {
  const width = left.to - left.from
  return width === right.to - right.from && largestPowerUpTo(width) === width && left.from % (2 * width) === 0
}

function sha256(...parts: Buffer[]): Buffer {
  return digest('sha256', Buffer.concat(parts), 'buffer')
}

/** How many of n > 1 leaves lie left of the root: the largest power of two below n. */
function leftLeaves(n: number): number {
  return largestPowerUpTo(n - 1)
}

// Doubling, not Math.log2 or shifts: the first rounds near large powers, the second ends at 2^31.
function largestPowerUpTo(n: number): number {
  let power = 1
  while (power * 2 <= n) power *= 2
  return power
}

function firstNotBelow(sorted: number[], bound: number, first: number, past: number): number {
  let low = first
  let high = past
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}
