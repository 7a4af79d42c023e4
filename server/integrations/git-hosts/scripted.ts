import { createHash } from 'node:crypto'
import type {
  GitHost,
  MainCheck,
  MergeRequest,
  MergeResult,
  OpenRequest,
  PullRequest,
  RevertRequest,
} from '../../domain/ports/git-host.ts'

/** What becomes of a story's merge; without a word about it, it is merged and main stays green. */
export interface ScriptedMerge {
  refused?: string
  mainRed?: string
  /** The main branch is checked by runners. */
  byRunner?: boolean
}

/** A git host without repositories: answers as it was written beforehand. */
export class ScriptedGitHost implements GitHost {
  readonly #script: (request: MergeRequest) => ScriptedMerge
  readonly #broken = new Set<string>()
  /** What was done, by key: asked again, it is not done again. */
  readonly done = new Map<string, string>()

  constructor(script: (request: MergeRequest) => ScriptedMerge = () => ({})) {
    this.#script = script
  }

  async troubleWith(): Promise<null> {
    return null
  }

  async openPullRequest(request: OpenRequest): Promise<{ pullRequest: PullRequest }> {
    this.done.set(request.key, `opened ${request.branch.name}`)
    return { pullRequest: { number: 1, url: `https://git.example.com/${request.team}/pull/1` } }
  }

  async merge(request: MergeRequest): Promise<MergeResult> {
    const { refused } = this.#script(request)
    if (refused) return { merged: false, reason: refused }
    this.done.set(request.key, `merged #${request.pullRequest.number}`)
    return { merged: true, commit: createHash('sha1').update(request.key).digest('hex') }
  }

  async checkMain(request: MergeRequest): Promise<MainCheck> {
    const { mainRed, byRunner } = this.#script(request)
    if (byRunner) return { state: 'by_runner' }
    // A story breaks main once: another attempt is the fix.
    if (!mainRed || this.#broken.has(request.run)) return { state: 'green' }
    this.#broken.add(request.run)
    return { state: 'red', findings: mainRed }
  }

  async openRevert(request: MergeRequest): Promise<{ pullRequest: PullRequest }> {
    const number = request.pullRequest.number + 1
    this.done.set(request.key, `reverted #${request.pullRequest.number}`)
    return { pullRequest: { number, url: request.pullRequest.url.replace(/\d+$/, String(number)) } }
  }

  async revertCommit(request: RevertRequest): Promise<{ pullRequest: PullRequest }> {
    const number = (request.pullRequest ?? 0) + 1
    this.done.set(request.key, `reverted ${request.commit.slice(0, 12)}`)
    return { pullRequest: { number, url: `https://git.example.com/${request.team}/pull/${number}` } }
  }
}
