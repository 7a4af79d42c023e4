import { timeOfId } from '../../../infra/ids.ts'
import {
  addLeaf,
  decodeFrontier,
  emptyFrontier,
  type Frontier,
  type Range,
  rootOf,
  type TreeNode,
} from '../../../infra/merkle.ts'
import { named } from './check-entry.ts'
import { type Checkpoint, openWithAny } from './checkpoint.ts'
import type { Findings } from './findings.ts'
import { isKept } from './kept-levels.ts'
import type { LogKeys } from './log-keys.ts'
import type { LeafWithEntry, StoredCheckpoint } from './store.ts'

/** Entries of one seal are in order of their ids. More than this many are not one seal, so there is no order to expect. */
const longestSeal = 10_000

/**
 * Grows the tree again from its leaves and holds every signed root against it, in one pass. Leaves, checkpoints and
 * saved checkpoints are handed in by ascending position. Damage stays local: after it, the walk goes on from the next
 * frontier that a signature vouches for.
 */
export class TreeCheck {
  readonly #workspaceId: string
  readonly #keys: LogKeys
  readonly #findings: Findings
  /** Null behind a hole: nothing can be computed from there. */
  #frontier: Frontier | null = emptyFrontier()
  #next = 0
  #hole: Range | null = null
  #compared = 0
  #newest = 0
  #seal: { first: number; ids: string[] } = { first: 0, ids: [] }
  #unconfirmed: TreeNode[] = []
  #confirmedNodes: TreeNode[] = []
  readonly #thinnedBefore: Date
  #lastId: string | null = null

  constructor(workspaceId: string, keys: LogKeys, findings: Findings, thinnedBefore: Date) {
    this.#thinnedBefore = thinnedBefore
    this.#workspaceId = workspaceId
    this.#keys = keys
    this.#findings = findings
  }

  leaf({ position, entry_id, hash }: Pick<LeafWithEntry, 'position' | 'entry_id' | 'hash'>): void {
    this.#skipTo(position)
    this.#reportHole()
    if (this.#frontier) addLeaf(this.#frontier, hash, (node) => isKept(node) && this.#unconfirmed.push(node))
    if (this.#seal.ids.length <= longestSeal) this.#seal.ids.push(entry_id)
    this.#next = position + 1
    this.#lastId = entry_id
  }

  checkpoint(stored: StoredCheckpoint): void {
    this.#skipTo(stored.size)
    const signed = this.#signed(stored)
    if (signed) {
      this.#compare(signed)
      this.#resume(stored, signed)
    }
    this.#newest = stored.size
    this.#seal = { first: stored.size, ids: [] }
  }

  /** A checkpoint kept outside the database: what no one who rewrites the database can rewrite with it. */
  saved({ size, root }: Checkpoint): void {
    this.#skipTo(size)
    if (!this.#frontier) {
      this.#findings.add(
        `The saved checkpoint of size ${size} cannot be compared: the log before it is damaged.`,
      )
    } else if (!this.#leadsTo(root)) {
      this.#findings.add(
        `The log was rewritten: its first ${size} entries are not those that the saved checkpoint of size ${size} was signed for.`,
      )
    } else if (this.#newest !== size && !this.#isThinned()) {
      this.#findings.add(`The checkpoint of size ${size}, saved earlier, was removed from the log.`)
    }
  }

  end(): void {
    this.#reportHole()
  }

  /** Subtrees that a signed root vouched for since the last call, to be compared with those stored. */
  takeConfirmedNodes(): TreeNode[] {
    return this.#confirmedNodes.splice(0)
  }

  /** Of older checkpoints one an hour is kept: that the leaves lead to its root is all there is to say of another. */
  #isThinned(): boolean {
    return this.#lastId !== null && timeOfId(this.#lastId) < this.#thinnedBefore
  }

  #skipTo(position: number): void {
    if (position === this.#next) return
    this.#hole = { from: this.#hole?.from ?? this.#next, to: position }
    this.#frontier = null
    this.#next = position
  }

  /** Only once a hole has ended, so that one hole under many checkpoints is one finding. */
  #reportHole(): void {
    if (!this.#hole) return
    const { from, to } = this.#hole
    const where = to - from === 1 ? `Position ${from} has` : `Positions ${from} to ${to - 1} have`
    this.#findings.add(`${where} no leaf: what was sealed there was removed.`)
    this.#hole = null
  }

  #signed(stored: StoredCheckpoint): Checkpoint | null {
    const name = `The checkpoint of size ${stored.size}`
    try {
      const signed = openWithAny(stored.note, this.#keys)
      const same = signed.workspaceId === this.#workspaceId && signed.size === stored.size
      if (same && signed.root.equals(stored.root)) return signed
      this.#findings.add(`${name} was changed: its columns and its signed note differ.`)
      return same ? signed : null
    } catch (error) {
      this.#findings.add(`${name} cannot be trusted: ${(error as Error).message}`)
      return null
    }
  }

  #compare({ size, root }: Checkpoint): void {
    if (this.#leadsTo(root)) this.#confirmedNodes.push(...this.#unconfirmed)
    else if (this.#frontier) {
      this.#findings.add(
        `The leaves at positions ${this.#compared} to ${size - 1} do not lead to the root signed for size ${size}: leaves were changed, exchanged or added.`,
        ...orderFindings(this.#seal.first, this.#seal.ids),
      )
    }
    this.#unconfirmed = []
    this.#compared = size
  }

  #resume(stored: StoredCheckpoint, signed: Checkpoint): void {
    const frontier = decodeFrontier(signed.size, stored.frontier)
    if (frontier && rootOf(frontier).equals(signed.root)) {
      this.#frontier = frontier
      return
    }
    this.#findings.add(
      `The frontier stored with the checkpoint of size ${stored.size} does not lead to its signed root.`,
    )
    if (!this.#leadsTo(signed.root)) this.#frontier = null
  }

  #leadsTo(root: Buffer): boolean {
    return this.#frontier !== null && rootOf(this.#frontier).equals(root)
  }
}

/** The root says that leaves moved, not which. Within one seal the ids ascend, and that does say it. */
function orderFindings(first: number, ids: string[]): string[] {
  if (ids.length > longestSeal) return []
  const sorted = ids.toSorted()
  const displaced = [...ids.keys()].filter((index) => ids[index] !== sorted[index])
  const exchanged = displaced.length === 2 ? [[displaced[0]!, displaced[1]!] as const] : null
  const pairs = exchanged ?? fallsOf(ids).map((index) => [index, index + 1] as const)
  return pairs.map(
    ([left, right]) =>
      `Positions ${first + left} and ${first + right} are out of order: entry ${named(ids[left]!)} is before entry ${named(ids[right]!)}.`,
  )
}

/** Where the next one is smaller. */
function fallsOf(ids: string[]): number[] {
  return [...ids.keys()].filter((index) => index + 1 < ids.length && ids[index]! > ids[index + 1]!)
}
