import type { Readable, Writable } from 'node:stream'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import type { ImageRoot } from './image-root.ts'
import type { Owner } from './owner.ts'

/** What a process may see and do. Everything that is not named here is not there for it. */
export interface Limits {
  /** Where it starts; writable. */
  worktree: string
  /** A home of its own, thrown away with the run; writable. */
  home: string
  /** Where it leaves its results; writable. Null: it has none to leave. */
  out: string | null
  /** Files and folders it may read, such as the object store. */
  readable: string[]
  /** Programs of the machine that are bound for it in any case: the agent itself. An image has them beside its own files. */
  programs?: string[]
  /** Programs of the machine that projects may use where there is no image: its toolchains, and the runner's own Node. */
  tools?: string[]
  /** What it has in the place of the machine's own programs and libraries; left out: those. */
  image?: ImageRoot
  /** Worktrees beside the first: writable, and of each what is not, as `denied` is of the first. */
  beside?: { folder: string; denied: string[] }[]
  /** What else it may write to, such as where it leaves objects of git. */
  writable?: string[]
  /** It may look at the worktree and not change it. */
  isWorktreeReadOnly?: boolean
  /** Paths of the worktree, files or folders that exist, which it may read and not change. */
  denied: string[]
  environment: Record<string, string>
  /** A Unix socket that leads to the model gateway; null: no model. */
  gateway: string | null
  /** Else through the proxy behind `proxy`, to the hosts that it allows: package registries, or the maker of an agent. */
  network: 'none' | 'registries' | 'maker'
  /** A Unix socket that leads to the proxy. */
  proxy?: string
  /** The worktree is the owner's already, wholly: it is not looked through again. Means something to root alone. */
  isWorktreeOwned?: boolean
  /** What may lie in memory as files: `/tmp` half of it, the rest less. */
  scratchBytes?: number
  /** Files of cgroups that the box joins before anything runs in it. */
  cgroups?: readonly string[]
  /** Is told why, when it is ended because it took more than it may. */
  overdrawn?: (reason: string) => void
}

/** One program and everything it starts. */
export interface Boxed {
  /** Never fails: a program that ends before it has read everything is no error of who wrote. */
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Whose descendants are all that it has started; null: it did not start. */
  pid: Promise<number | null>
  /** When the last of its descendants is gone too. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Asks it to end, and ends it and every descendant when it has not by then. */
  end(graceMs: number): Promise<void>
}

/** What keeps a process in. Which layers hold was measured, not assumed. */
export interface Box {
  readonly isolation: Isolation
  /**
   * Whom the process runs as, and whose everything is that it may write to; null: the runner's own user. What a start is
   * handed as writable is given to that user first.
   */
  readonly owner: Owner | null
  /** `command[0]` is a path, or found on the PATH inside. */
  start(command: string[], limits: Limits): Boxed
  /** Where the process finds what the runner calls by another path; the same path where nothing is moved. */
  inside(path: string, limits: Limits): string
  /** Where the process reaches the gateway whose socket its limits name. */
  gatewayUrl(gateway: { url: string }): string
}
