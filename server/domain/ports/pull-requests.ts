/** Branches that take a merge back begin so. */
export const revertPrefix = 'signalbox/revert-'

/** A pull request of a repository whose host keeps none of its own. */
export interface KeptPullRequest {
  number: number
  title: string
  /** What it is to be merged into, and where it comes from. */
  base: string
  branch: string
  /** The commit that was verified: nothing else is merged. */
  head: string
  state: 'open' | 'merged' | 'closed'
  mergeCommit: string | null
  /** Slug of the workspace, for whoever leads people there. */
  workspace: string
}

export type NewPullRequest = Pick<KeptPullRequest, 'title' | 'base' | 'branch' | 'head'> & {
  body: string
  /** Key of the run whose change it is; null: it takes back a merge of no run. */
  run: string | null
}

/** Where they are kept. Numbers count within a repository. */
export interface PullRequests {
  find(workspaceId: string, repository: string, number: number): Promise<KeptPullRequest | null>
  /** The one that is open for that branch, brought up to what is said of it; or a new one. */
  open(workspaceId: string, repository: string, pullRequest: NewPullRequest): Promise<KeptPullRequest>
  /** Those that are open and take a merge back, newest first. */
  openReverts(workspaceId: string, repository: string): Promise<KeptPullRequest[]>
  markMerged(workspaceId: string, repository: string, number: number, commit: string): Promise<void>
}
