import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addLeaf,
  completeSubtrees,
  decodeFrontier,
  emptyFrontier,
  encodeFrontier,
  leafHash,
  nodeHash,
  PartsInOrder,
  rangesBeside,
  rootOf,
  rootOfParts,
  rootOfRow,
  type TreeNode,
} from './merkle.ts'

/** RFC 6962 as it is written, to hold the incremental one against. */
function naiveRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return nodeHash(naiveRoot(leaves.slice(0, left)), naiveRoot(leaves.slice(left)))
}

const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`))
const aSize = fc.integer({ min: 1, max: 700 })
const aTreeAndPositions = aSize.chain((size) =>
  fc.tuple(fc.constant(size), fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 40 })),
)

function partsFor(leaves: Buffer[], positions: number[]) {
  const sorted = positions.toSorted((a, b) => a - b)
  const beside = rangesBeside(leaves.length, sorted)
  return [
    ...sorted.map((from) => ({ from, to: from + 1, hash: leaves[from]! })),
    ...beside.map((range) => ({ ...range, hash: naiveRoot(leaves.slice(range.from, range.to)) })),
  ]
}

test('the roots are those of the vectors that implementations of RFC 6962 share', () => {
  const data = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ]
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]
  const leaves = data.map((hex) => leafHash(Buffer.from(hex, 'hex')))
  const found = roots.map((_, size) => rootOfRow(leaves.slice(0, size)).toString('hex'))
  assert.deepEqual(found, roots)
})

test('a tree grown in batches from its stored frontier has the root of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 12 }), (batches) => {
      const leaves = leavesOf(1 + batches.reduce((sum, count) => sum + count, 0))
      let stored = { size: 0, bytes: encodeFrontier(emptyFrontier()) }
      for (const count of [...batches, 1]) {
        const frontier = decodeFrontier(stored.size, stored.bytes)!
        for (const leaf of leaves.slice(stored.size, stored.size + count)) addLeaf(frontier, leaf)
        stored = { size: frontier.size, bytes: encodeFrontier(frontier) }
      }
      assert.deepEqual(rootOf(decodeFrontier(stored.size, stored.bytes)!), naiveRoot(leaves))
    }),
  )
})

test('every complete subtree is told of once, with its level and position', () => {
  const leaves = leavesOf(37)
  const nodes: TreeNode[] = []
  const frontier = emptyFrontier()
  for (const leaf of leaves) addLeaf(frontier, leaf, (node) => nodes.push(node))
  assert.equal(nodes.length, 18 + 9 + 4 + 2 + 1)
  for (const { level, position, hash } of nodes) {
    assert.deepEqual(hash, naiveRoot(leaves.slice(position * 2 ** level, (position + 1) * 2 ** level)))
  }
})

test('bytes that are not the frontier of that size are refused', () => {
  assert.equal(decodeFrontier(3, Buffer.alloc(32)), null)
  assert.equal(decodeFrontier(1, Buffer.alloc(33)), null)
  assert.notEqual(decodeFrontier(3, Buffer.alloc(64)), null)
})

test('a range is made up of complete subtrees, the largest first, also beyond 2^32', () => {
  const far = 2 ** 40
  assert.deepEqual(completeSubtrees({ from: far, to: far + 5 }), [
    { from: far, to: far + 4 },
    { from: far + 4, to: far + 5 },
  ])
  assert.deepEqual(rangesBeside(2 ** 50, [0]).at(-1), { from: 2 ** 49, to: 2 ** 50 })
})

test('leaves at any positions, with the subtrees beside them, give the root', () => {
  fc.assert(
    fc.property(aTreeAndPositions, ([size, positions]) => {
      const leaves = leavesOf(size)
      const parts = partsFor(leaves, positions)
      assert.deepEqual(rootOfParts(size, parts), naiveRoot(leaves))
      assert.ok(parts.length <= Math.max(1, positions.length) * (Math.ceil(Math.log2(size)) + 1))
    }),
  )
})

test('a part that is changed, left out, doubled or put elsewhere does not give the root', () => {
  fc.assert(
    fc.property(aTreeAndPositions, fc.nat(), ([size, positions], choice) => {
      const leaves = leavesOf(size)
      const root = naiveRoot(leaves)
      const parts = partsFor(leaves, positions)
      const at = choice % parts.length
      const part = parts[at]!
      const others = parts.toSpliced(at, 1)
      const wrong = [
        [...others, { ...part, hash: leafHash('another') }],
        others,
        [...parts, part],
        [...others, { ...part, from: part.from + 1, to: part.to + 1 }],
        [...parts, { from: part.from, to: part.from + 1, hash: leafHash('rides along') }],
      ]
      for (const attempt of wrong) assert.notDeepEqual(rootOfParts(size, attempt), root)
    }),
  )
})

test('hashes of another length are refused, though their bytes in a row are the same', () => {
  const [left, right] = leavesOf(2)
  const moved = Buffer.concat([left!, right!])
  const parts = [
    { from: 0, to: 1, hash: moved.subarray(0, 31) },
    { from: 1, to: 2, hash: moved.subarray(31) },
  ]
  assert.equal(rootOfParts(2, parts), null)
})

test('parts that are read from left to right lead to the same root, and to none where one is missing or moved', () => {
  const rootFrom = (size: number, parts: readonly { from: number; to: number; hash: Buffer }[]) => {
    const reading = new PartsInOrder()
    for (const part of parts) reading.add(part)
    return reading.root(size)
  }
  fc.assert(
    fc.property(aTreeAndPositions, fc.nat(), ([size, positions], one) => {
      const leaves = leavesOf(size)
      const parts = partsFor(leaves, positions).toSorted((a, b) => a.from - b.from)
      assert.deepEqual(rootFrom(size, parts), naiveRoot(leaves))
      const at = one % parts.length
      assert.equal(rootFrom(size, parts.toSpliced(at, 1)), null)
      assert.equal(rootFrom(size, [...parts, parts[at]!]), null)
    }),
  )
  // Cut where the tree is not: four leaves as one and three.
  const leaves = leavesOf(4)
  const askew = [
    { from: 0, to: 1, hash: leaves[0]! },
    { from: 1, to: 4, hash: naiveRoot(leaves.slice(1)) },
  ]
  assert.equal(rootFrom(4, askew), null)
  assert.deepEqual(rootFrom(0, []), rootOf(emptyFrontier()))
})
