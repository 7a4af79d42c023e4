import { dictionary } from '@signalbox/contract/dictionary.ts'
import { ToolRefused } from '../../domain/ports/connection.ts'
import type {
  CloseRequest,
  GitAnswer,
  GitHost,
  GitRequest,
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
  Verdict,
  Verified,
} from '../../domain/ports/git-host.ts'
import type { ToolRequest } from '../connections/call.ts'
import {
  developer,
  type GitLabReader,
  mayPush,
  type Pipeline,
  readApprovals,
  readBranchChecks,
  readHeadChecks,
} from './gitlab-facts.ts'
import { heldMerge, mergedOther, mergedUnverified, strangeOrigin, unverified } from './held-merge.ts'
import {
  attemptsOf,
  basic,
  blamed,
  type Checks,
  closed,
  conflicting,
  fewNames,
  hasChecks,
  heldByChecks,
  isTooLate,
  mainAfter,
  mainNow,
  mergedOnto,
  missing,
  moved,
  oneLine,
  orGone,
  orHidden,
  orNull,
  orRefusal,
  outdated,
  type RemoteOptions,
  refusalText,
  refuse,
  refusedAs,
  type Shown,
  sentence,
  short,
  verdictName,
  wait,
  withReason,
} from './remote.ts'
import { type TreeEntry, treeId } from './tree-id.ts'

/** As far as we read it. */
interface MergeRequestThere {
  description: string | null
  iid: number
  web_url: string
  state: 'opened' | 'closed' | 'locked' | 'merged'
  title: string
  sha: string
  source_branch: string
  target_branch: string
  merged_at: string | null
  merge_commit_sha: string | null
  squash_commit_sha: string | null
  merge_when_pipeline_succeeds?: boolean
  /** GitLab's own choice: of the branch, of the merge request, or of what a merge would come to. Not in lists. */
  head_pipeline?: Pipeline | null
  /** `start_sha`: where the target stood before. Not in lists. */
  diff_refs?: { start_sha: string } | null
  detailed_merge_status?: string
  /** All that versions before 15.6 say. */
  merge_status?: string
}

const page = 100
const mostPages = 20
/** GitLab leaves out what is beyond, and does not say so. */
const mostDiffs = 1_000
const longestDescription = 255

/** Repositories at GitLab, wherever it is installed. */
export class GitLabHost implements GitHost {
  readonly #options: RemoteOptions

  constructor(options: RemoteOptions) {
    this.#options = options
  }

  async troubleWith(_: string, repository: TeamRepository): Promise<string | null> {
    const found = await orNull(this.#read<Project>(repository, ''))
    if (!found) return hiddenOnGitLab(repository)
    if (found.archived) return `${repository.name} is archived.`
    const { project_access: own, group_access: group } = found.permissions ?? {}
    const level = Math.max(own?.access_level ?? 0, group?.access_level ?? 0)
    if (found.permissions && level > 0 && level < developer)
      return `the account of this connection can’t push to ${repository.name}. Give it the Developer role.`
    return (await this.#tip(repository, repository.branch)) ? null : missing(repository.branch, repository)
  }

  /** GitLab gives no shorter token for a token: what an order fetches and pushes goes through the server. */
  async credential(): Promise<'relay'> {
    return 'relay'
  }

  async relay(_: string, { name }: TeamRepository, request: GitRequest): Promise<GitAnswer> {
    const { connection, passOn } = this.#options
    const { baseUrl, credentials } = connection
    const authorization = basic('oauth2', credentials.token!)
    return passOn(connection, { address: `${baseUrl}/${name}.git`, authorization }, request)
  }

  async openPullRequest(request: OpenRequest): Promise<Opened> {
    const { repository, branch, title, body } = request
    const at = repository!
    const tip = await this.#tip(at, branch.name)
    if (tip !== branch.head) return { refused: moved(branch.name, branch.head, tip) }
    const before = await this.#opened(at, branch, request)
    if (before) return before
    const made = await this.#open(at, branch.name, title, body)
    if (made instanceof ToolRefused)
      return (
        (await this.#opened(at, branch)) ?? {
          refused: refusedAs('GitLab did not open a merge request', made),
        }
      )
    await this.#closeOthers(at, branch.name)
    return shown(made)
  }

  /** Done in one step, so a repeated call finds it closed. */
  async closePullRequest({ repository, pullRequest, why }: CloseRequest): Promise<null> {
    const at = repository!
    const found = await this.#find(at, pullRequest.number)
    if (found?.state === 'opened')
      await this.#write(at, 'PUT', `/merge_requests/${found.iid}`, {
        ...{ state_event: 'close', description: withReason(found.description ?? null, why) },
      })
    return null
  }

  async postVerdict({ repository, head, passed, title, url }: Verdict): Promise<null> {
    const posted = await orRefusal(
      this.#write(repository!, 'POST', `/statuses/${head}`, {
        state: passed ? 'success' : 'failed',
        name: verdictName,
        target_url: url,
        description: title.slice(0, longestDescription),
      }),
      400,
    )
    // A status that is what it should become cannot become it.
    if (posted instanceof ToolRefused && !/cannot transition/i.test(refusalText(posted))) throw posted
    return null
  }

  async merge(
    { repository, pullRequest, verified }: MergeRequest,
    note: NoteFacts = async () => {},
  ): Promise<MergeResult> {
    const at = repository!
    const found = await this.#find(at, pullRequest.number)
    if (!found) return refuse(`${at.name} has no merge request !${pullRequest.number}.`)
    if (found.state === 'merged') return this.#held(at, found, verified)
    if (found.state === 'closed') return refuse(closed({ number: found.iid }))
    if (found.state === 'locked') return wait(`GitLab is merging !${found.iid}.`)
    if (!verified) return refuse(unverified)
    if (found.sha !== verified.head) return refuse(moved(found.source_branch, verified.head, found.sha))
    const strange = await strangeOrigin(verified, found.target_branch, (one, other) =>
      this.#leadsTo(at, one, other),
    )
    if (strange) return refuse(strange)
    if (found.merge_when_pipeline_succeeds)
      return wait(`GitLab will auto-merge !${found.iid} once its requirements are met.`)

    const reader = this.#reader(at)
    const checks = await readHeadChecks(reader, found)
    const held = heldByChecks(checks)
    if (held) return held
    const { changesRequestedBy, left, ...reviews } = await readApprovals(reader, found.iid)
    if (changesRequestedBy.length > 0)
      return refuse(`${fewNames(changesRequestedBy).join(', ')} asked for changes on GitLab.`)
    if (left > 0) return wait(`!${found.iid}: ${waits.not_approved}`)
    const status = statusOf(found)
    if (moves[status]) return outdated(moves[status](found))
    if (refuses[status]) return refuse(refuses[status](found))
    // Whatever else it says is not that it may be merged.
    if (status !== 'mergeable')
      return wait(
        `!${found.iid}: ${waits[status] ?? `GitLab reports the merge status ${oneLine(status, 60) || 'unknown'}.`}`,
      )

    const facts = {
      head: found.sha,
      reviews,
      checks: { passed: fewNames(checks.passed), skipped: fewNames(checks.skipped) },
    }
    const train = await this.#train(at, found.iid, verified.head, () =>
      note({ ...facts, queue: 'merge_train' }),
    )
    if (train) return train
    await note({ ...facts, queue: 'none' })
    const merged = await orRefusal(
      this.#write<MergeRequestThere>(at, 'PUT', `/merge_requests/${found.iid}/merge`, { sha: verified.head }),
      403,
      405,
      406,
      409,
      422,
    )
    if (!(merged instanceof ToolRefused))
      return merged.state === 'merged'
        ? this.#held(at, merged, verified)
        : wait(`GitLab is merging !${found.iid}.`)
    if (merged.status === 409) return refuse(`the branch ${found.source_branch} moved after it was verified.`)
    return refuse(refusedAs('GitLab did not merge it', merged))
  }

  /** Compares what was merged, by anyone, with what was verified. */
  #held(
    at: TeamRepository,
    found: MergeRequestThere,
    verified: Verified | null,
  ): MergeResult | Promise<MergeResult> {
    const commit = commitOf(found)
    if (!verified) return mergedUnverified(commit)
    if (found.sha !== verified.head) return mergedOther(commit, found.sha, verified)
    return heldMerge(verified, commit, {
      commit: async (id) => {
        const path = `/repository/commits/${encodeURIComponent(id)}`
        const made = await orNull(this.#read<{ parent_ids: string[] }>(at, path))
        return made && { tree: await this.#treeOf(at, id), parents: made.parent_ids }
      },
      changed: async (from, to) => {
        const { diffs, compare_timeout: isCut } = await this.#read<Comparison>(at, '/repository/compare', {
          ...{ from, to, straight: 'true' },
        })
        if (isCut || diffs.length >= mostDiffs) return null
        return [...new Set(diffs.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
      },
    })
  }

  /** GitLab names the trees in a folder, never that of a commit: it follows from what is in it. Null: that is too much. */
  async #treeOf(at: TeamRepository, commit: string): Promise<string | null> {
    const entries: TreeEntry[] = []
    for (let number = 1; number <= mostPages; number += 1) {
      const listed = await this.#read<TreeEntry[]>(at, '/repository/tree', {
        ...{ ref: commit, per_page: page, page: number },
      })
      entries.push(...listed)
      if (listed.length < page) return treeId(entries, commit.length)
    }
    return null
  }

  /** Whether a commit is part of what led to another, or to a branch. What GitLab does not know is part of nothing. */
  async #leadsTo(at: TeamRepository, commit: string, to: string): Promise<boolean> {
    const refs = [commit, to].map((ref) => `refs[]=${encodeURIComponent(ref)}`).join('&')
    const found = await orNull(this.#read<{ id: string } | null>(at, `/repository/merge_base?${refs}`))
    return found?.id === commit
  }

  async readPullRequest({ repository, pullRequest }: MergeRequest): Promise<PullRequestNow | null> {
    const found = await this.#find(repository!, pullRequest.number)
    if (!found) return null
    if (found.state === 'merged') return { state: 'merged', commit: commitOf(found), head: found.sha }
    if (found.state === 'closed') return { state: 'closed' }
    const conflicts = found.state === 'opened' && moves[statusOf(found)]?.(found)
    return { state: 'open', ...(conflicts ? { conflicts } : {}) }
  }

  async checkMain({ repository, pullRequest, verified }: MergeRequest): Promise<MainCheck> {
    const at = repository!
    const found = await this.#find(at, pullRequest.number)
    if (found?.state !== 'merged') return { state: 'by_runner' }
    const checks = await this.#checks(at, commitOf(found), at.branch)
    const before = found.diff_refs?.start_sha
    // If there were no checks before the merge, there are none now, so do not wait for any.
    if (before && !hasChecks(checks) && !hasChecks(await this.#checks(at, before, at.branch)))
      return { state: 'by_runner' }
    const now = this.#options.clock.now()
    const after = mainAfter(checks, found.merged_at, now)
    if (after.state !== 'red') return after
    const parentOf = async (id: string) => {
      const path = `/repository/commits/${encodeURIComponent(id)}`
      return (await orNull(this.#read<{ parent_ids: string[] }>(at, path)))?.parent_ids[0] ?? null
    }
    const checksOf = (id: string) => this.#checks(at, id, at.branch)
    const onto = await mergedOnto(commitOf(found), verified?.commits ?? 1, parentOf, checksOf)
    return blamed(after, checks, onto, isTooLate(found.merged_at, now))
  }

  async readMain({ repository }: MainRequest): Promise<MainNow | null> {
    const at = repository!
    const commit = await this.#tip(at, at.branch)
    return commit ? mainNow(await this.#checks(at, commit, at.branch), commit) : null
  }

  /** What is still open in the discussions, written by people who may push. */
  async readReviews({ repository, pullRequest }: MergeRequest): Promise<Review[]> {
    const at = repository!
    const discussions = await this.#read<{ id: string; notes: Note[] }[]>(
      at,
      `/merge_requests/${pullRequest.number}/discussions`,
      { per_page: page },
    )
    const reviews: Review[] = []
    for (const { id, notes } of discussions) {
      const open = notes.filter((note) => note.resolvable && !note.resolved && !note.system)
      const [first] = open
      if (!first || !(await mayPush(this.#reader(at), first.author.id))) continue
      const place = first.position?.new_path
      const line = first.position?.new_line
      reviews.push({
        id,
        author: first.author.username,
        commit: first.position?.head_sha ?? null,
        text: `${place ? `${place}${line ? `:${line}` : ''}: ` : ''}${open.map(({ body }) => body).join('\n\n')}`,
      })
    }
    return reviews
  }

  async openRevert({ repository, pullRequest }: MergeRequest): Promise<Opened> {
    const found = await this.#find(repository!, pullRequest.number)
    if (found?.state !== 'merged') return { refused: `merge request !${pullRequest.number} is not merged.` }
    return this.#revert(repository!, commitOf(found), found.title)
  }

  async revertCommit({ teamRepository, commit, title }: RevertRequest): Promise<Opened> {
    return this.#revert(teamRepository!, commit, title)
  }

  /** In three steps, each of which is seen to be done when it is asked for again. */
  async #revert(at: TeamRepository, commit: string, title: string): Promise<Opened> {
    const branch = `signalbox/revert-${short(commit)}`
    const open = await this.#ofBranch(at, branch, 'opened')
    if (open[0]) return shown(open[0])
    const before = await this.#branch(at, branch)
    if (!before) {
      const made = await orRefusal(
        this.#write(at, 'POST', '/repository/branches', { branch, ref: at.branch }),
        400,
      )
      if (made instanceof ToolRefused) return { refused: refusedAs('GitLab did not create a branch', made) }
    }
    if (!before?.commit.message.includes(commit)) {
      const reverted = await orRefusal(
        this.#write(at, 'POST', `/repository/commits/${encodeURIComponent(commit)}/revert`, { branch }),
        400,
        404,
      )
      if (reverted instanceof ToolRefused) {
        await orNull(
          this.#call(at, { method: 'DELETE', path: `/repository/branches/${encodeURIComponent(branch)}` }),
        )
        return { refused: refusedAs(`GitLab can’t revert commit ${short(commit)} automatically`, reverted) }
      }
    }
    const made = await this.#open(at, branch, `Revert "${title}"`, `Reverts ${commit}.`)
    if (!(made instanceof ToolRefused)) return shown(made)
    const [raced] = await this.#ofBranch(at, branch, 'opened')
    return raced ? shown(raced) : { refused: refusedAs('GitLab did not open a merge request', made) }
  }

  #open(at: TeamRepository, branch: string, title: string, description: string) {
    return orRefusal(
      this.#write<MergeRequestThere>(at, 'POST', '/merge_requests', {
        source_branch: branch,
        target_branch: at.branch,
        title,
        description,
      }),
      400,
      409,
      422,
    )
  }

  /** What there is for a branch already; null: nothing, so that one can be opened. */
  async #opened(
    at: TeamRepository,
    branch: { name: string; head: string },
    { body, redescribes }: Partial<Pick<OpenRequest, 'body' | 'redescribes'>> = {},
  ): Promise<Opened | null> {
    const found = await this.#ofBranch(at, branch.name)
    const one =
      found.find(({ state }) => state === 'opened' || state === 'locked') ??
      found.find(({ state, sha }) => state === 'merged' && sha === branch.head)
    if (redescribes && one && one.state !== 'merged' && one.description !== body)
      await this.#write(at, 'PUT', `/merge_requests/${one.iid}`, { description: body })
    if (one) return shown(one)
    const shut = found.find(({ sha }) => sha === branch.head)
    return shut ? { refused: `merge request !${shut.iid} for the branch ${branch.name} was closed.` } : null
  }

  #ofBranch(at: TeamRepository, branch: string, state = 'all'): Promise<MergeRequestThere[]> {
    return this.#read(at, '/merge_requests', {
      source_branch: branch,
      target_branch: at.branch,
      state,
      per_page: page,
    })
  }

  /** Closes those of earlier attempts, so that no one merges them in addition to the newer one. */
  async #closeOthers(at: TeamRepository, branch: string): Promise<void> {
    const attempts = attemptsOf(branch)
    if (!attempts) return
    const open = await this.#read<MergeRequestThere[]>(at, '/merge_requests', {
      state: 'opened',
      per_page: page,
    })
    for (const { iid, source_branch } of open)
      if (source_branch !== branch && attemptsOf(source_branch) === attempts)
        await this.#write(at, 'PUT', `/merge_requests/${iid}`, { state_event: 'close' })
  }

  /** Null where the project merges without a train. */
  async #train(
    at: TeamRepository,
    iid: number,
    sha: string,
    note: () => Promise<void>,
  ): Promise<MergeResult | null> {
    const project = await this.#read<Project>(at, '')
    if (!project.merge_trains_enabled) return null
    const car = await orNull(this.#read<{ status: string }>(at, `/merge_trains/merge_requests/${iid}`))
    if (car && car.status !== 'merged') return wait(`!${iid} is in GitLab’s merge train.`)
    const notes = await this.#read<{ system: boolean; body: string }[]>(at, `/merge_requests/${iid}/notes`, {
      sort: 'desc',
      per_page: page,
    })
    const removed = notes.find(({ system, body }) => system && /removed .*from the merge train/i.test(body))
    if (removed)
      return refuse(`GitLab removed !${iid} from its merge train: ${sentence(oneLine(removed.body))}`)
    await note()
    const added = await orRefusal(
      this.#write(at, 'POST', `/merge_trains/merge_requests/${iid}`, { sha, auto_merge: true }),
      400,
      409,
    )
    return added instanceof ToolRefused
      ? refuse(refusedAs('GitLab did not add it to its merge train', added))
      : wait(`!${iid} is in GitLab’s merge train.`)
  }

  async #tip(at: TeamRepository, branch: string): Promise<string | null> {
    return (await this.#branch(at, branch))?.commit.id ?? null
  }

  #branch(at: TeamRepository, branch: string): Promise<Branch | null> {
    const path = `/repository/branches/${encodeURIComponent(branch)}`
    return orGone(this.#read<Branch>(at, path), this.#shown(at))
  }

  #find(at: TeamRepository, iid: number): Promise<MergeRequestThere | null> {
    return orGone(this.#read<MergeRequestThere>(at, `/merge_requests/${iid}`), this.#shown(at))
  }

  #shown = (at: TeamRepository): Shown => ({
    repository: () => this.#read(at, ''),
    hidden: `${hiddenOnGitLab(at)} Give its account access.`,
  })

  /** Of the newest pipeline of a branch. */
  #checks(at: TeamRepository, sha: string, ref: string): Promise<Checks> {
    return readBranchChecks(this.#reader(at), sha, ref)
  }

  #reader(at: TeamRepository): GitLabReader {
    return {
      read: (path, query) => this.#read(at, path, query),
      now: () => this.#options.clock.now(),
    }
  }

  async #read<T>(at: TeamRepository, path: string, query: ToolRequest['query'] = {}): Promise<T> {
    return this.#call<T>(at, { path, query })
  }

  async #write<T>(at: TeamRepository, method: 'POST' | 'PUT', path: string, json: unknown): Promise<T> {
    return orHidden(this.#call<T>(at, { method, path, json }), this.#shown(at))
  }

  async #call<T>({ name }: TeamRepository, request: ToolRequest): Promise<T> {
    const { connection, call } = this.#options
    const path = `/api/v4/projects/${encodeURIComponent(name)}${request.path}`
    return (await call(connection, { ...request, path })).body as T
  }
}

interface Project {
  archived: boolean
  merge_trains_enabled?: boolean
  permissions?: {
    project_access: { access_level: number } | null
    group_access: { access_level: number } | null
  }
}

interface Branch {
  commit: { id: string; message: string }
}

interface Comparison {
  diffs: { old_path: string; new_path: string }[]
  compare_timeout: boolean
}

interface Note {
  body: string
  system: boolean
  resolvable: boolean
  resolved?: boolean
  author: { id: number; username: string }
  position?: { new_path?: string; new_line?: number | null; head_sha?: string }
}

const waits: Record<string, string | undefined> = dictionary({
  checking: 'GitLab is working out whether it can be merged.',
  unchecked: 'GitLab is working out whether it can be merged.',
  preparing: 'GitLab is preparing it.',
  approvals_syncing: 'GitLab is counting its approvals.',
  ci_still_running: 'its pipeline is running.',
  not_approved: 'it needs an approval on GitLab.',
  merge_request_blocked: 'another merge request blocks it on GitLab.',
  merge_time: 'GitLab will merge it at its scheduled time.',
  status_checks_must_pass: 'its external status checks on GitLab have not passed.',
  external_status_checks: 'its external status checks on GitLab have not passed.',
  security_policy_pipeline_check: 'GitLab is checking its security policies.',
  locked_paths: 'some of its paths are locked on GitLab.',
  locked_lfs_files: 'some of its files are locked on GitLab.',
})

/** In the words of today's versions. */
const statusOf = ({ detailed_merge_status: status, merge_status: old }: MergeRequestThere): string =>
  status ?? (old === 'can_be_merged' ? 'mergeable' : old === 'cannot_be_merged' ? 'conflict' : 'unchecked')

type Says = Record<string, ((found: MergeRequestThere) => string) | undefined>

/** The branch that it goes into has moved on. */
const moves: Says = dictionary({
  conflict: ({ target_branch }) => conflicting(target_branch),
  need_rebase: ({ target_branch }) => `it has to be rebased onto the branch ${target_branch}.`,
})

const refuses: Says = dictionary({
  discussions_not_resolved: () => 'discussions on GitLab are not resolved.',
  requested_changes: () => 'a reviewer on GitLab asked for changes.',
  draft_status: () => 'it is a draft on GitLab.',
  ci_must_pass: () => 'GitLab requires a pipeline that passed, and there is none.',
})

const commitOf = ({ merge_commit_sha, squash_commit_sha, sha }: MergeRequestThere) =>
  merge_commit_sha ?? squash_commit_sha ?? sha

const hiddenOnGitLab = ({ name }: TeamRepository) =>
  `GitLab has no project ${name}, or hides it from this connection.`

const shown = ({ iid, web_url: url }: MergeRequestThere) => ({ pullRequest: { number: iid, url } })
