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
  /** Slug of the workspace, for links to it. */
  workspace: string
}

type NewPullRequest = Pick<KeptPullRequest, 'title' | 'base' | 'branch' | 'head'> & {
  body: string
  /** Key of the run whose change it is; null: it reverts a merge that no run made. */
  run: string | null
}

/** Where they are kept. Numbers count within a repository. */
export interface PullRequests {
  find(workspaceId: string, repository: string, number: number): Promise<KeptPullRequest | null>
  /** The one that is open for that branch, brought up to what is said of it; or a new one. */
  open(workspaceId: string, repository: string, pullRequest: NewPullRequest): Promise<KeptPullRequest>
  /** Those that are open and take a merge back, newest first. */
  openReverts(workspaceId: string, repository: string): Promise<KeptPullRequest[]>
  /** One that is open, with the reason in its text. */
  close(workspaceId: string, repository: string, number: number, why: string): Promise<void>
  markMerged(workspaceId: string, repository: string, number: number, commit: string): Promise<void>
}
