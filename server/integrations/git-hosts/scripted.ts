import { createHash } from 'node:crypto'
import type { Credential } from '@signalbox/contract/runner/messages.ts'
import type {
  CloseRequest,
  GitHost,
  MainCheck,
  MainNow,
  MainRequest,
  MergeRequest,
  MergeResult,
  NoteFacts,
  OpenRequest,
  PullRequest,
  PullRequestNow,
  RevertRequest,
  Review,
  TeamRepository,
  Verdict,
} from '../../domain/ports/git-host.ts'

/** What becomes of a story's merge; without a word about it, it is merged and main stays green. */
export interface ScriptedMerge {
  refused?: string
  /** It waits at the host, as in a merge queue. */
  pending?: string
  /** It is not what was verified. */
  mismatch?: string
  /** The branch that it goes into has moved on. */
  outdated?: string
  mainRed?: string
  /** It was red before the merge. */
  isOlder?: true
  /** The main branch is checked by runners. */
  byRunner?: boolean
  reviews?: Review[]
  /** What people did with the pull request over there. */
  now?: PullRequestNow
}

/** A git host without repositories: answers as it was written beforehand. */
export class ScriptedGitHost implements GitHost {
  readonly #script: (request: MergeRequest) => ScriptedMerge
  readonly #broken = new Set<string>()
  readonly #reverted = new Map<string, string>()
  /** What was done, by key: asked again, it is not done again. */
  readonly done = new Map<string, string>()

  constructor(script: (request: MergeRequest) => ScriptedMerge = () => ({})) {
    this.#script = script
  }

  async troubleWith(): Promise<null> {
    return null
  }

  async credential(_: string, { address }: TeamRepository): Promise<Credential> {
    return { address, header: null, expiresAt: null }
  }

  async relay(_: string, { name }: TeamRepository): Promise<{ refused: string }> {
    return { refused: `${name} is not reached through this server.` }
  }

  async closePullRequest({ key, pullRequest }: CloseRequest): Promise<null> {
    this.done.set(key, `closed #${pullRequest.number}`)
    return null
  }

  async postVerdict({ key, passed }: Verdict): Promise<null> {
    this.done.set(key, passed ? 'verdict passed' : 'verdict failed')
    return null
  }

  /** Every revert made here counts as merged right away, so main is green again. */
  async readMain({ workspaceId, team }: MainRequest): Promise<MainNow | null> {
    const commit = this.#reverted.get(`${workspaceId} ${team}`)
    return commit ? { state: 'green', commit } : null
  }

  async readPullRequest(request: MergeRequest): Promise<PullRequestNow> {
    return this.#script(request).now ?? { state: 'open' }
  }

  async readReviews(request: MergeRequest): Promise<Review[]> {
    return this.#script(request).reviews ?? []
  }

  async openPullRequest(request: OpenRequest): Promise<{ pullRequest: PullRequest }> {
    this.done.set(request.key, `opened ${request.branch.name}`)
    return { pullRequest: { number: 1, url: `https://git.example.com/${request.team}/pull/1` } }
  }

  async merge(request: MergeRequest, note?: NoteFacts): Promise<MergeResult> {
    const { refused, pending, mismatch, outdated } = this.#script(request)
    if (outdated) return { merged: false, reason: outdated, isOutdated: true }
    if (pending) return { merged: false, reason: pending, isPending: true }
    if (refused) return { merged: false, reason: refused }
    await note?.({ head: request.head ?? 'unknown', reviews: null, checks: null, queue: null })
    this.done.set(request.key, `merged #${request.pullRequest.number}`)
    const commit = createHash('sha1').update(request.key).digest('hex')
    return { merged: true, commit, facts: null, mismatch: mismatch ?? null }
  }

  async checkMain(request: MergeRequest): Promise<MainCheck> {
    const { mainRed, byRunner, isOlder } = this.#script(request)
    if (byRunner) return { state: 'by_runner' }
    // A story breaks main once: another attempt is the fix.
    if (!mainRed || this.#broken.has(request.run)) return { state: 'green' }
    this.#broken.add(request.run)
    this.#reverted.delete(`${request.workspaceId} ${request.team}`)
    return { state: 'red', findings: mainRed, ...(isOlder ? { isOlder } : {}) }
  }

  async openRevert(request: MergeRequest): Promise<{ pullRequest: PullRequest }> {
    const number = request.pullRequest.number + 1
    this.done.set(request.key, `reverted #${request.pullRequest.number}`)
    const commit = createHash('sha1').update(request.key).digest('hex')
    this.#reverted.set(`${request.workspaceId} ${request.team}`, commit)
    return { pullRequest: { number, url: request.pullRequest.url.replace(/\d+$/, String(number)) } }
  }

  async revertCommit(request: RevertRequest): Promise<{ pullRequest: PullRequest }> {
    const number = (request.pullRequest ?? 0) + 1
    this.done.set(request.key, `reverted ${request.commit.slice(0, 12)}`)
    return { pullRequest: { number, url: `https://git.example.com/${request.team}/pull/${number}` } }
  }
}
