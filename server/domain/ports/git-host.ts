import type { RunListed } from '@signalbox/contract/run.ts'

type PullRequest = NonNullable<RunListed['pullRequest']>

/** Which pull request, of which run. The key names the wish: asked twice with the same key, it is done once. */
export interface MergeRequest {
  key: string
  team: string
  run: string
  story: string
  pullRequest: PullRequest
}

/** Which merge is to be taken back, whoever made it. */
export interface RevertRequest {
  key: string
  team: string
  /** Where it was merged; null: in the team's own repository. */
  repository: string | null
  commit: string
  pullRequest: number | null
  title: string
}

export type MergeResult = { merged: true; commit: string } | { merged: false; reason: string }

export type MainCheck = { state: 'green' } | { state: 'pending' } | { state: 'red'; findings: string }

/** Where the repositories are. Each call looks before it writes: it may be made again after a crash. */
export interface GitHost {
  merge(request: MergeRequest): Promise<MergeResult>
  /** How the main branch is after that merge; `pending` while its checks run. */
  checkMain(request: MergeRequest): Promise<MainCheck>
  openRevert(request: MergeRequest): Promise<{ pullRequest: PullRequest }>
  /** Opens a pull request that takes back a merge of no run. */
  revertCommit(request: RevertRequest): Promise<{ pullRequest: PullRequest }>
}
