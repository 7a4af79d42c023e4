import type { Readable } from 'node:stream'
import type { insides } from '@signalbox/contract/image.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Credential } from '@signalbox/contract/runner/messages.ts'
import type { Reached } from './connection.ts'

export type PullRequest = NonNullable<RunListed['pullRequest']>

/** Where a team's code is. */
export interface TeamRepository {
  /** As people know it: `halden/checkout-web`. */
  name: string
  host: string
  address: string
  /** What is merged into. */
  branch: string
  /** The account it is reached with; null: it is a folder on the server. */
  connectionId: string | null
  /** The host's own id of it, which survives renaming. */
  remoteId: string | null
  /** What its work runs in; left out: the runner's own tools. */
  inside?: Inside
  /** With `image`: which one. */
  image?: string | null
}

export type Inside = (typeof insides)[number]

/** What of a connection is reached there; null: it is a folder on the server. */
export const placeOf = ({
  connectionId,
  remoteId,
  name,
}: Pick<TeamRepository, 'connectionId' | 'remoteId' | 'name'>): Reached | null =>
  connectionId === null ? null : { connectionId, place: `repository/${remoteId ?? name}` }

/** What is wanted, for which run. The key names the wish: asked twice with the same key, it is done once. */
interface Wish {
  key: string
  workspaceId: string
  team: string
  run: string
  story: string
  /** Null: no one has said where the team's code is. */
  repository: TeamRepository | null
}

/** Which branch is asked to be merged, with the commit that was verified. */
export interface OpenRequest extends Wish {
  title: string
  body: string
  branch: { name: string; head: string }
  /** One that is open already is to say this too. */
  redescribes?: true
}

/** What was verified and shown, as the server has read it out of the work that was handed in. */
export interface Verified {
  /** What it was measured against. */
  base: string
  head: string
  /** Of the head. */
  tree: string
  /** How many commits it is. */
  commits: number
  /** Parents of these that are neither among them nor the base: each has to be part of what led to the base. */
  outside: string[]
  /** Everything that it changes. */
  paths: string[]
}

/** Which pull request, of which run. */
export interface MergeRequest extends Wish {
  pullRequest: PullRequest
  /** The commit that was pushed; null: the author of the change has not said. */
  head: string | null
  /** Nothing else is merged. Null: nothing was verified here, so that nothing is merged at all. */
  verified: Verified | null
}

/** What was read at the host of a merge. The audit entry lists it. */
export interface MergeFacts {
  commit: string
  head: string
  base: string
  /** Of the head; and of the merge, null where the host does not tell. */
  tree: string
  mergedTree: string | null
  /** What it was merged onto. */
  onto: string | null
  /**
   * How what was merged was held against what was verified. `tree`: it was merged onto its base, and is the tree that
   * was verified. `paths`: the branch had moved on; nothing differs from where it stood but what the change touches.
   * `parents`: the host does not tell what differs; it is a merge of that head onto where the branch stood. `none`: it
   * could not be.
   */
  heldBy: 'tree' | 'paths' | 'parents' | 'none'
}

/** What the host was asked right before a merge, and what it said: why the merge was allowed. Null: it has no such thing. */
export interface HostFacts {
  /** Of the pull request, as the host told it. */
  head: string
  reviews: {
    approvedBy: string[]
    /** People who asked for changes but may not write there: their reviews do not block the merge. */
    withoutWeight: string[]
    /** Whether the host wants approvals; it had those that it wants. */
    isRequired: boolean
  } | null
  /** By name, of both kinds where the host has two. What failed, or has not ended, is not merged. */
  checks: { passed: string[]; skipped: string[] } | null
  /** Which queue it goes through; `none`: it is merged immediately. */
  queue: 'merge_queue' | 'merge_train' | 'none' | null
}

/** Is told about the facts before anything is written at the host, and writes them down. */
export type NoteFacts = (facts: HostFacts) => Promise<void>

/** Which pull request is no longer wanted, and why, in a sentence for people who find it closed. */
export interface CloseRequest extends Wish {
  pullRequest: PullRequest
  why: string
}

/** What we found about a commit, for people who look at it at the host. */
export interface Verdict extends Wish {
  pullRequest: PullRequest
  head: string
  passed: boolean
  /** One line: `4 gates passed`. */
  title: string
  /** Markdown: criteria with their proofs, gates, what was not done. */
  summary: string
  /** Where all of it can be read. */
  url: string
}

/** Which merge to revert, no matter who made it. */
export interface RevertRequest {
  key: string
  workspaceId: string
  team: string
  /** Where it was merged; null: in the team's own repository. */
  repository: string | null
  teamRepository: TeamRepository | null
  commit: string
  pullRequest: number | null
  title: string
}

/** Not now: it is asked again in a while, and people are shown why it waits. */
interface Pending {
  pending: string
}

/** Refused: trying again would not help, and the reason says what would. */
interface Refused {
  refused: string
}

export type Opened = { pullRequest: PullRequest } | Refused | Pending

export type MergeResult =
  /** `mismatch`: what was merged is not what was verified, as a sentence. Facts are null where there is no host to ask. */
  | { merged: true; commit: string; facts: MergeFacts | null; mismatch: string | null }
  /**
   * `isPending`: it waits at the host, for its queue, its checks or its reviewers. `isOutdated`: its target branch has
   * moved on, so the work has to be redone from there.
   */
  | { merged: false; reason: string; isPending?: true; isOutdated?: true }

/** `by_runner`: the host runs no checks of its own, so a runner has to. */
export type MainCheck =
  | { state: 'green' }
  | { state: 'pending' }
  | { state: 'by_runner' }
  /** `isOlder`: everything that is red there was red on the commit that was merged onto: the merge did not do it. */
  | { state: 'red'; findings: string; isOlder?: true }

/** How a main branch is at its newest commit, as the host's own checks say; `unchecked`: nothing checks it there. */
export type MainNow =
  | { state: 'unchecked'; commit: string }
  | { state: 'green'; commit: string }
  | { state: 'pending'; commit: string }
  | { state: 'red'; commit: string; findings: string }

/** Whose main branch it is. */
export type MainRequest = Pick<Wish, 'workspaceId' | 'team' | 'repository'>

/** What people wrote about a pull request, as far as they want it changed. */
export interface Review {
  /** The host's own: the same review is taken once. */
  id: string
  author: string
  /** The commit they looked at. */
  commit: string | null
  /** Markdown: what they wrote, with the places they wrote it at. */
  text: string
}

/** The state of a pull request at its host, no matter who changed it. */
export type PullRequestNow =
  /** `conflicts`: it can't be merged any more as it is, with the reason. */
  | { state: 'open'; conflicts?: string }
  /** `head`: the commit of its branch that was merged. */
  | { state: 'merged'; commit: string; head: string }
  | { state: 'closed' }

/** One of git's own requests over HTTP, passed on to the host of a repository. */
export interface GitRequest {
  service: 'git-upload-pack' | 'git-receive-pack'
  /** What is fetched or pushed, as it comes; null: git asks what there is. */
  body: Readable | null
  /** What of git's headers the host has to know: which protocol is spoken, and what the body is. */
  headers: Record<string, string>
  /** Aborts when no one is waiting for the answer any more. */
  signal: AbortSignal
}

/** What the host said to it, as it comes. */
export interface GitAnswer {
  type: string
  body: Readable
}

/** Where the repositories are. Each call looks before it writes: it may be made again after a crash. */
export interface GitHost {
  /** What keeps a repository from being used, and what helps, as a sentence; null: nothing does. */
  troubleWith(workspaceId: string, repository: TeamRepository): Promise<string | null>
  /**
   * How git is let in, for one order: for as short a time, and to as little, as the host can say. `relay`: the host knows
   * only the secret of the connection, which stays here; git's requests are passed on instead.
   */
  credential(
    workspaceId: string,
    repository: TeamRepository,
    access: 'read' | 'write',
  ): Promise<Credential | 'relay' | Refused>
  /** Passes on a request of git's with the secret of the connection. Who may ask for what was checked before. */
  relay(workspaceId: string, repository: TeamRepository, request: GitRequest): Promise<GitAnswer | Refused>
  /** Opens a pull request for a branch, or brings the open one of that branch up to its commit. */
  openPullRequest(request: OpenRequest): Promise<Opened>
  /** Closes one that is open, with the reason in its text. What is merged or closed stays as it is. */
  closePullRequest(request: CloseRequest): Promise<Refused | null>
  /** Says at the host what was found about a commit. A host without a place for it does nothing. */
  postVerdict(verdict: Verdict): Promise<Refused | null>
  /**
   * Merges what was verified, if the host agrees. If it has a queue, the queue decides, and this waits. The host is
   * asked beforehand for the state of the branches and for objections, and afterwards for the outcome. What it does not
   * tell is waited for: this throws ToolBusy, or ToolRefused where an admin has to mend something, or returns pending,
   * and merges nothing.
   */
  merge(request: MergeRequest, note?: NoteFacts): Promise<MergeResult>
  /** How the main branch is after that merge; `pending` while its checks run. */
  checkMain(request: MergeRequest): Promise<MainCheck>
  /**
   * How the main branch is now; null: that could not be read. Throws ToolRefused where an admin has to mend something.
   */
  readMain(request: MainRequest): Promise<MainNow | null>
  /** The state of the pull request; null: the host does not know, or has none of its own to ask. */
  readPullRequest(request: MergeRequest): Promise<PullRequestNow | null>
  /** Reviews that want the pull request changed, oldest first. */
  readReviews(request: MergeRequest): Promise<Review[]>
  openRevert(request: MergeRequest): Promise<Opened>
  /** Opens a pull request that reverts a merge that no run made. */
  revertCommit(request: RevertRequest): Promise<Opened>
}
