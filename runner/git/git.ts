import type { Readable } from 'node:stream'
import type { Objects } from '@signalbox/contract/guard/objects.ts'

/** How git is let in to a repository. */
export interface Access {
  address: string
  header: string | null
  /** The address is the server's own: it passes on what git asks, and is believed as in every other call. */
  isRelayed?: boolean
}

/**
 * A repository as one run sees it: the history that everyone begins from, and the objects of this run alone. What other
 * runs have made lies elsewhere and is bound into none of its boxes.
 */
export interface Store extends Objects {
  /** What is bound into the box, read-only: the history first, then the run's own. */
  readonly objects: readonly string[]
  /** Brings the branch here that everyone begins from, and says where it stands. */
  fetch(access: Access, branch: string): Promise<string>
  /** Brings a branch here that concerns this run alone. */
  fetchOwn(access: Access, branch: string): Promise<string>
  /** Where a branch stands over there; null: it does not exist. */
  tip(access: Access, branch: string): Promise<string | null>
  /** Brings one commit of the shared history here that no branch may lead to any more. */
  fetchCommit(access: Access, commit: string): Promise<void>
  /** Takes in commits that came as a bundle; refuses what a careful fetch refuses. */
  unbundle(file: string, head: string): Promise<void>
  bundle(base: string, head: string, file: string): Promise<void>
  /** Keeps a commit that nothing else leads to, for as long as work is kept. */
  hold(commit: string): Promise<void>
  /**
   * A clean checkout, warm where one lies ready. With `resumes`, for a run that was here before and left its worktree
   * at this commit: that one, with everything in it that git ignores.
   */
  checkout(commit: string, options?: { resumes: boolean }): Promise<Worktree>
  /** The run will not come back: what it left is anyone's, and what it made is gone. */
  letGo(): Promise<void>
  /** Null: there is no such file. A link is none. */
  readFile(commit: string, path: string): Promise<Buffer | null>
  /** Unified, for people to read; cut where it is too long. */
  diff(base: string, head: string): Promise<string>
  /** The first of the commits that it builds on; null: it is the first of all. */
  parentOf(commit: string): Promise<string | null>
  /** The newest commit that both come from; null: there is none. */
  mergeBase(one: string, other: string): Promise<string | null>
  /** One exact commit to one branch, which must stand where it is expected to: null, not exist. */
  push(access: Access, commit: string, branch: string, expected: string | null): Promise<void>
}

/** Which run has left a worktree, and at which commit. */
export interface Left {
  run: string
  head: string
}

/** Where the objects of what is made go: the run's own, which takes a pack for what it turns out to be. */
export interface Intake {
  readonly objects: readonly string[]
  /** Objects that came from a box, checked one by one and as a whole before any of them counts. */
  importPack(pack: Readable, tree: string): Promise<void>
  commitTree(tree: string, parent: string, message: string): Promise<string>
}

/** A folder with a checkout. Its git folder is the agent's own and not trusted. */
export interface Worktree {
  readonly folder: string
  /** What stands there now as a tree, through the runner's own index. `fresh`: as if no index were kept. */
  tree(options?: { fresh?: boolean }): Promise<string>
  /** A commit of what stands there, written by the runner. */
  commit(parent: string, message: string): Promise<string>
  reset(commit: string): Promise<void>
  /** Back to the pool, or into the trash. With `keeps`, committed, it is kept for its run while there is room. */
  release(options?: { keepsFiles: boolean }): Promise<void>
}
