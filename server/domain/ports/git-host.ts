import type { RunListed } from '@signalbox/contract/run.ts'

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
}

/** What is wanted, for which run. The key names the wish: asked twice with the same key, it is done once. */
interface Wish {
  key: string
  workspaceId: string
  team: string
  run: string
  story: string
  /** Null: nobody has said where the team's code is. */
  repository: TeamRepository | null
}

/** Which branch is asked to be merged, with the commit that was verified. */
export interface OpenRequest extends Wish {
  title: string
  body: string
  branch: { name: string; head: string }
}

/** Which pull request, of which run. */
export interface MergeRequest extends Wish {
  pullRequest: PullRequest
}

/** Which merge is to be taken back, whoever made it. */
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

/** Refused: trying again would not help, and the reason says what would. */
export type Opened = { pullRequest: PullRequest } | { refused: string }

export type MergeResult = { merged: true; commit: string } | { merged: false; reason: string }

/** `by_runner`: the host checks nothing by itself, so a runner has to. */
export type MainCheck =
  | { state: 'green' }
  | { state: 'pending' }
  | { state: 'by_runner' }
  | { state: 'red'; findings: string }

/** Where the repositories are. Each call looks before it writes: it may be made again after a crash. */
export interface GitHost {
  /** What keeps a repository from being used, and what helps, as a sentence; null: nothing does. */
  troubleWith(repository: TeamRepository): Promise<string | null>
  /** Opens a pull request for a branch, or brings the open one of that branch up to its commit. */
  openPullRequest(request: OpenRequest): Promise<Opened>
  merge(request: MergeRequest): Promise<MergeResult>
  /** How the main branch is after that merge; `pending` while its checks run. */
  checkMain(request: MergeRequest): Promise<MainCheck>
  openRevert(request: MergeRequest): Promise<Opened>
  /** Opens a pull request that takes back a merge of no run. */
  revertCommit(request: RevertRequest): Promise<Opened>
}
