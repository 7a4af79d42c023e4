import { repositoryAddressIn } from '@signalbox/contract/address.ts'
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
  Opened,
  OpenRequest,
  PullRequestNow,
  RevertRequest,
  Review,
  TeamRepository,
  Verified,
} from '../../../domain/ports/git-host.ts'
import { NotRead } from '../../../domain/ports/history.ts'
import { type KeptPullRequest, type PullRequests, revertPrefix } from '../../../domain/ports/pull-requests.ts'
import type { Clock } from '../../../infra/clock.ts'
import {
  type HostCommits,
  heldMerge,
  listed,
  mergedUnverified,
  strangeOrigin,
  unverified,
} from '../held-merge.ts'
import { gitReach } from '../reach.ts'
import { BareRepository } from './bare-repository.ts'

export interface LocalOptions {
  /** What GIT_ALLOW says: repositories lie in the folders among it. */
  allow: readonly string[]
  pullRequests: PullRequests
  clock: Clock
  /** Known once the server listens. */
  publicUrl: () => string
}

/** How often a merge is tried again because another one was faster. */
const mostRaces = 10

/**
 * Bare repositories on the machine of the server. Their pull requests are rows of ours, and they check nothing by
 * themselves. Each call looks before it writes: what git knows to be done is not done again.
 */
export class LocalGitHost implements GitHost {
  readonly #options: LocalOptions
  readonly #reach: ReturnType<typeof gitReach>

  constructor(options: LocalOptions) {
    this.#options = options
    this.#reach = gitReach({ allow: options.allow })
  }

  async troubleWith(_: string, repository: TeamRepository): Promise<string | null> {
    const found = await this.#open(repository)
    if ('refused' in found)
      // The caller has named the repository.
      return found.refused.replace(`${repository.name} cannot be used: `, '')
    return (await found.git.tip(repository.branch)) ? null : missing(repository.branch, repository)
  }

  /** A process that may use the folder needs no credential. */
  async credential(_: string, { address }: TeamRepository): Promise<Credential> {
    return { address, header: null, expiresAt: null }
  }

  async relay(_: string, { name }: TeamRepository): Promise<{ refused: string }> {
    return { refused: `${name} is not reached through this server.` }
  }

  async openPullRequest(request: OpenRequest): Promise<Opened> {
    const found = await this.#open(request.repository)
    if ('refused' in found) return found
    const { repository, git } = found
    const { branch } = request
    if (!(await git.tip(repository.branch))) return { refused: missing(repository.branch, repository) }
    const tip = await git.tip(branch.name)
    if (tip !== branch.head) return { refused: moved(branch.name, branch.head, tip) }
    const kept = await this.#options.pullRequests.open(request.workspaceId, repository.name, {
      title: request.title,
      body: request.body,
      base: repository.branch,
      branch: branch.name,
      head: branch.head,
      run: request.run,
    })
    return { pullRequest: this.#shown(kept, `runs/${request.run}?tab=changes`) }
  }

  async closePullRequest({ workspaceId, repository, pullRequest, why }: CloseRequest): Promise<null> {
    await this.#options.pullRequests.close(workspaceId, repository!.name, pullRequest.number, why)
    return null
  }

  async merge(request: MergeRequest, note: NoteFacts = async () => {}): Promise<MergeResult> {
    const found = await this.#find(request)
    if ('refused' in found) return { merged: false, reason: found.refused }
    const { repository, git, kept } = found
    const verified = request.verified ?? (await ownRevert(git, kept))
    const held = (commit: string) =>
      verified ? heldMerge(verified, commit, commitsOf(git)) : mergedUnverified(commit)
    const merged = async (commit: string): Promise<MergeResult> => {
      await this.#options.pullRequests.markMerged(request.workspaceId, repository.name, kept.number, commit)
      return held(commit)
    }
    if (kept.state === 'merged') return held(kept.mergeCommit!)
    if (kept.state === 'closed') return { merged: false, reason: `pull request #${kept.number} is closed.` }
    if (!verified) return { merged: false, reason: unverified }
    if (kept.head !== verified.head)
      return { merged: false, reason: moved(kept.branch, verified.head, kept.head) }
    for (let race = 0; race < mostRaces; race += 1) {
      const tip = await git.tip(kept.base)
      if (!tip) return { merged: false, reason: missing(kept.base, repository) }
      if ((await git.has(kept.head)) && (await git.isAncestor(kept.head, tip)))
        return merged(await git.mergeOf(kept.head, tip))
      const head = await git.tip(kept.branch)
      if (head !== kept.head) return { merged: false, reason: moved(kept.branch, kept.head, head) }
      const strange = await strangeOrigin(verified, kept.base, (commit, to) =>
        git.isAncestor(commit, to === kept.base ? tip : to),
      )
      if (strange) return { merged: false, reason: strange }
      const joined = await git.join(tip, head)
      if ('conflicts' in joined)
        return { merged: false, reason: conflicting(kept.base, joined.conflicts), isOutdated: true }
      const others = await otherPaths(git, verified, tip, joined.tree)
      if (others.length > 0)
        return {
          merged: false,
          reason: `merged into the branch ${kept.base} as it is now, it would change ${listed(others)}, which the verified change does not touch. Retry the run from there.`,
          isOutdated: true,
        }
      const message = `Merge pull request #${kept.number}: ${kept.title}\n\n${request.story}, ${request.run}\n`
      const commit = await git.commit(joined.tree, [tip, head], message, this.#options.clock.now())
      await note({ head, reviews: null, checks: null, queue: null })
      if (await git.move(kept.base, commit, tip, `signalbox: merge #${kept.number}`)) return merged(commit)
    }
    throw new Error(
      `The branch ${kept.base} of ${repository.name} keeps changing, so the merge could not be made. Try again.`,
    )
  }

  /** The pull request is a page of ours, which shows the evidence anyway. */
  async postVerdict(): Promise<null> {
    return null
  }

  async checkMain(): Promise<MainCheck> {
    return { state: 'by_runner' }
  }

  /** Nothing is checked here, but a revert that a person made with git, without our pull request, is detected. */
  async readMain({ workspaceId, repository: wanted }: MainRequest): Promise<MainNow | null> {
    const found = await this.#open(wanted)
    if ('refused' in found) return null
    const { git, repository } = found
    const { pullRequests } = this.#options
    const tip = await git.tip(repository.branch)
    if (!tip) return null
    const unchecked = { state: 'unchecked', commit: tip } as const
    const reverts = await pullRequests.openReverts(workspaceId, repository.name)
    if (reverts.length === 0) return unchecked
    for (const { number, head } of reverts) {
      if (!(await git.has(head)) || !(await git.isAncestor(head, tip))) return unchecked
      await pullRequests.markMerged(workspaceId, repository.name, number, await git.mergeOf(head, tip))
    }
    return { state: 'green', commit: tip }
  }

  /** Only the engine merges here, so its rows know the state. Whether it can still be merged is asked of git. */
  async readPullRequest(request: MergeRequest): Promise<PullRequestNow | null> {
    const found = await this.#find(request)
    if ('refused' in found) return null
    const { kept, git } = found
    if (kept.state === 'merged') return { state: 'merged', commit: kept.mergeCommit!, head: kept.head }
    if (kept.state === 'closed') return { state: 'closed' }
    const tip = await git.tip(kept.base)
    if (!tip || !(await git.has(kept.head))) return { state: 'open' }
    // A node may have died between the merge and its row.
    if (await git.isAncestor(kept.head, tip))
      return { state: 'merged', commit: await git.mergeOf(kept.head, tip), head: kept.head }
    const joined = await git.join(tip, kept.head)
    return {
      state: 'open',
      ...('conflicts' in joined ? { conflicts: conflicting(kept.base, joined.conflicts) } : {}),
    }
  }

  async readReviews(): Promise<Review[]> {
    return []
  }

  async openRevert(request: MergeRequest): Promise<Opened> {
    const found = await this.#find(request)
    if ('refused' in found) return found
    const { kept } = found
    if (!kept.mergeCommit) return { refused: `pull request #${kept.number} is not merged.` }
    return this.#revert(found, {
      workspaceId: request.workspaceId,
      commit: kept.mergeCommit,
      title: kept.title,
      run: request.run,
      page: `runs/${request.run}?tab=changes`,
    })
  }

  async revertCommit(request: RevertRequest): Promise<Opened> {
    const { repository: address, teamRepository: own } = request
    if (address !== null && address !== own?.address && address !== own?.name)
      return { refused: `${address} is not the repository of the team.` }
    const found = await this.#open(own)
    if ('refused' in found) return found
    return this.#revert(found, { ...request, run: null, page: `teams/${request.team}` })
  }

  async #revert(
    { repository, git }: Found,
    {
      workspaceId,
      commit,
      title,
      run,
      page,
    }: { workspaceId: string; commit: string; title: string; run: string | null; page: string },
  ): Promise<Opened> {
    const branch = `${revertPrefix}${commit.slice(0, 12)}`
    const head = await this.#revertHead(git, repository.branch, branch, commit, title)
    if (typeof head !== 'string') return head
    const kept = await this.#options.pullRequests.open(workspaceId, repository.name, {
      title: `Revert "${title}"`,
      body: `Reverts ${commit}.`,
      base: repository.branch,
      branch,
      head,
      run,
    })
    return { pullRequest: this.#shown(kept, page) }
  }

  async #revertHead(
    git: BareRepository,
    base: string,
    branch: string,
    commit: string,
    title: string,
  ): Promise<string | { refused: string }> {
    const tip = await git.tip(base)
    if (!tip || !(await git.has(commit)) || !(await git.isAncestor(commit, tip)))
      return { refused: `commit ${short(commit)} is not on the branch ${base}.` }
    const [parent] = await git.parentsOf(commit)
    if (!parent) return { refused: `nothing came before commit ${short(commit)}.` }
    const before = await git.tip(branch)
    if (before)
      return (await isRevertOf(git, { head: before, commit, parent, tip }))
        ? before
        : { refused: `the branch ${branch} already has other commits. Delete it, then try again.` }
    const joined = await git.without(commit, parent, tip)
    if ('conflicts' in joined) return { refused: conflicting(base, joined.conflicts) }
    if (joined.tree === (await git.treeOf(tip)))
      return { refused: `nothing of commit ${short(commit)} is on the branch ${base} any more.` }
    const message = `Revert "${title}"\n\nThis reverts commit ${commit}.\n`
    const made = await git.commit(joined.tree, [tip], message, this.#options.clock.now())
    if (await git.move(branch, made, null, `signalbox: revert ${short(commit)}`)) return made
    return (await git.tip(branch))!
  }

  async #open(repository: TeamRepository | null): Promise<Found | { refused: string }> {
    if (!repository)
      return { refused: 'the team has no repository. An owner or admin sets it in the team’s settings.' }
    if (repository.host !== 'local')
      return { refused: `${repository.name} is on ${repository.host}, which is not connected.` }
    // Before anything is looked up: another machine's name is none of this host's business.
    if (repositoryAddressIn(repository.address)?.scheme !== 'file')
      return { refused: `${repository.name} is not a folder on the server.` }
    try {
      const { address } = await this.#reach(repository.address)
      const git = new BareRepository(address)
      const trouble = await git.trouble()
      return trouble ? { refused: `${repository.name} cannot be used: ${trouble}.` } : { repository, git }
    } catch (error) {
      if (error instanceof NotRead) return { refused: `${repository.name} cannot be used: ${error.message}` }
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return { refused: `${repository.name} cannot be used: there is no such folder on the server.` }
      throw error
    }
  }

  async #find(request: MergeRequest): Promise<(Found & { kept: KeptPullRequest }) | { refused: string }> {
    const found = await this.#open(request.repository)
    if ('refused' in found) return found
    const { workspaceId, pullRequest } = request
    const kept = await this.#options.pullRequests.find(workspaceId, found.repository.name, pullRequest.number)
    return kept
      ? { ...found, kept }
      : { refused: `${found.repository.name} has no pull request #${pullRequest.number}.` }
  }

  #shown({ number, workspace }: KeptPullRequest, page: string) {
    return { number, url: `${this.#options.publicUrl()}/${workspace}/${page}` }
  }
}

interface Found {
  repository: TeamRepository
  git: BareRepository
}

const commitsOf = (git: BareRepository): HostCommits => ({
  commit: async (id) =>
    (await git.has(id)) ? { tree: await git.treeOf(id), parents: await git.parentsOf(id) } : null,
  changed: (from, to) => git.changed(from, to),
})

/** A revert that we made here, from what is on the branch, needs no verification. Null: it is a person's work. */
async function ownRevert(git: BareRepository, { branch, head }: KeptPullRequest): Promise<Verified | null> {
  if (!branch.startsWith(revertPrefix) || !(await git.has(head))) return null
  const [base] = await git.parentsOf(head)
  const tree = await git.treeOf(head)
  return base ? { base, head, tree, commits: 1, outside: [], paths: await git.changed(base, head) } : null
}

/** Checks the content, because anyone who may push could have created a branch of that name before. */
async function isRevertOf(
  git: BareRepository,
  { head, commit, parent, tip }: { head: string; commit: string; parent: string; tip: string },
): Promise<boolean> {
  const [base, ...more] = await git.parentsOf(head)
  if (!base || more.length > 0 || !(await git.isAncestor(base, tip))) return false
  const joined = await git.without(commit, parent, base)
  return 'tree' in joined && joined.tree === (await git.treeOf(head))
}

/** What a merge would change beyond what was verified. If the branch is still at the base, nothing may differ. */
async function otherPaths(git: BareRepository, verified: Verified, tip: string, tree: string) {
  if (tip === verified.base) return git.changed(verified.tree, tree)
  const known = new Set(verified.paths)
  return (await git.changed(tip, tree)).filter((path) => !known.has(path))
}

const short = (commit: string) => commit.slice(0, 12)
const missing = (branch: string, { name }: TeamRepository) => `${name} has no branch ${branch}.`
const moved = (branch: string, from: string, to: string | null) =>
  to
    ? `the branch ${branch} moved from ${short(from)}, which was verified, to ${short(to)}.`
    : `the branch ${branch} is gone.`
const conflicting = (base: string, paths: string[]) =>
  `it conflicts with the branch ${base} in ${paths.slice(0, 20).join(', ')}${paths.length > 20 ? ` and ${paths.length - 20} more` : ''}.`
