import type { Guarded, Guarding } from '@signalbox/contract/guard/guard.ts'

/** Work as a runner has uploaded it, what it says that it is, and what it is held to. */
export interface ReadRequest extends Guarding {
  /** Fetched once it is its turn: those who wait for it hold no memory. */
  bytes: () => Promise<Buffer>
}

/** What a bundle holds. Every object in it is what its id says, since the id was computed from it. */
export interface ReadChange extends Guarded {
  /** Of the head. */
  tree: string
  /** From the head down to the base, which is not among them. */
  commits: string[]
  /** Parents of these commits that are neither among them nor the base: what they bring in is not here to be looked at. */
  outside: string[]
  /** Paths of the pinned spec that differ from the base, as they were pinned: no part of the change, but of the merge. */
  pinnedPaths: string[]
  /** Unified, for people to read. `isCut`: it was too long to read, so it was cut. */
  diff: { text: string; isCut: boolean }
}

/** The bundle cannot be looked at. A sentence for people, with what helps. */
export interface Unreadable {
  unreadable: string
}

/**
 * Inspects work without a repository and without trusting its author. It runs beside the server, within limits: what
 * exceeds them is unreadable.
 */
export interface ChangeReader {
  read(request: ReadRequest): Promise<ReadChange | Unreadable>
}
