import { githubWeb } from '@signalbox/contract/github-web.ts'
import type { Credential } from '@signalbox/contract/runner/messages.ts'
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
import { githubAppJwt } from '../connections/authorize.ts'
import type { ToolRequest } from '../connections/call.ts'
import {
  type GitHubReader,
  type GraphqlAnswer,
  lastReviews,
  mayPass,
  readChecks,
  readOpinions,
  readQueue,
  trusted,
  unread,
} from './github-facts.ts'
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

/** As far as we read it. */
interface Pull {
  number: number
  node_id: string
  html_url: string
  state: 'open' | 'closed'
  draft?: boolean
  title: string
  body: string | null
  merged_at: string | null
  merge_commit_sha: string | null
  /** Null: GitHub is working it out. Only told where one is asked for. */
  mergeable?: boolean | null
  head: { sha: string; ref: string; repo: { full_name: string } | null }
  /** Where the base stood before. */
  base: { ref: string; sha: string }
}

const enqueue = `mutation($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { position } }
}`

const revert = `mutation($id: ID!, $title: String!, $body: String!) {
  revertPullRequest(input: { pullRequestId: $id, title: $title, body: $body }) {
    revertPullRequest { number url }
  }
}`

const page = 100
/** Of a check run's summary; GitHub takes 65,535. */
const longestSummary = 60_000
const longestDescription = 140

/** Repositories at GitHub, or at a GitHub Enterprise Server. */
export class GitHubHost implements GitHost {
  readonly #options: RemoteOptions

  constructor(options: RemoteOptions) {
    this.#options = options
  }

  async troubleWith(_: string, repository: TeamRepository): Promise<string | null> {
    const found = await orNull(this.#read<Repository>(repository, ''))
    if (!found) return hiddenOnGitHub(repository)
    if (found.archived) return `${repository.name} is archived.`
    if (found.permissions?.push === false)
      return `the account of this connection can’t push to ${repository.name}. Give it write access.`
    return (await this.#tip(repository, repository.branch)) ? null : missing(repository.branch, repository)
  }

  async credential(
    _: string,
    repository: TeamRepository,
    access: 'read' | 'write',
  ): Promise<Credential | 'relay'> {
    const { connection, call, clock } = this.#options
    const { appId, installationId, privateKey } = connection.credentials
    if (!privateKey) return 'relay'
    const { body } = await call(connection, {
      method: 'POST',
      path: `/app/installations/${encodeURIComponent(installationId!)}/access_tokens`,
      json: { repositories: [repository.name.split('/').at(-1)], permissions: { contents: access } },
      headers: { authorization: `Bearer ${githubAppJwt(appId!, privateKey, clock.now().getTime())}` },
    })
    return {
      address: this.#gitAddress(repository),
      header: `Authorization: ${basic('x-access-token', body.token)}`,
      expiresAt: body.expires_at,
    }
  }

  async relay(
    _: string,
    repository: TeamRepository,
    request: GitRequest,
  ): Promise<GitAnswer | { refused: string }> {
    const { connection, passOn } = this.#options
    const { token } = connection.credentials
    // The connection has become an App since the credential was asked for.
    if (!token) return { refused: 'The connection has changed. Ask for a credential again.' }
    const authorization = basic('x-access-token', token)
    return passOn(connection, { address: this.#gitAddress(repository), authorization }, request)
  }

  #gitAddress({ name }: TeamRepository): string {
    return `${githubWeb(this.#options.connection.baseUrl)}/${name}.git`
  }

  async openPullRequest(request: OpenRequest): Promise<Opened> {
    const { repository, branch, title, body } = request
    const at = repository!
    const tip = await this.#tip(at, branch.name)
    if (tip !== branch.head) return { refused: moved(branch.name, branch.head, tip) }
    const before = await this.#opened(at, branch, request)
    if (before) return before
    const made = await orRefusal(
      this.#write<Pull>(at, 'POST', '/pulls', { title, body, head: branch.name, base: at.branch }),
      422,
    )
    if (!(made instanceof ToolRefused)) {
      await this.#closeOthers(at, branch.name)
      return shown(made)
    }
    // It may have been opened in the moment since we looked.
    return (
      (await this.#opened(at, branch)) ?? { refused: refusedAs('GitHub did not open a pull request', made) }
    )
  }

  /** Done in one step, so a repeated call finds it closed. */
  async closePullRequest({ repository, pullRequest, why }: CloseRequest): Promise<null> {
    const at = repository!
    const pull = await this.#pull(at, pullRequest.number)
    if (pull?.state === 'open')
      await this.#write(at, 'PATCH', `/pulls/${pull.number}`, {
        ...{ state: 'closed', body: withReason(pull.body, why) },
      })
    return null
  }

  async postVerdict(verdict: Verdict): Promise<{ refused: string } | null> {
    const { repository, head, passed, title, summary, url } = verdict
    const at = repository!
    if (this.#options.connection.credentials.privateKey) {
      const result = {
        name: verdictName,
        head_sha: head,
        status: 'completed',
        conclusion: passed ? 'success' : 'failure',
        details_url: url,
        external_id: verdict.run,
        output: { title, summary: summary.slice(0, longestSummary) },
      }
      const { check_runs: found } = await this.#read<{ check_runs: CheckRun[] }>(
        at,
        `/commits/${head}/check-runs`,
        { check_name: verdictName, filter: 'latest' },
      )
      const ours = found.find(({ external_id }) => external_id === verdict.run)
      await (ours
        ? this.#write(at, 'PATCH', `/check-runs/${ours.id}`, result)
        : this.#write(at, 'POST', '/check-runs', result))
      return null
    }
    await this.#write(at, 'POST', `/statuses/${head}`, {
      state: passed ? 'success' : 'failure',
      target_url: url,
      description: title.slice(0, longestDescription),
      context: verdictName,
    })
    return null
  }

  async merge(
    { repository, pullRequest, verified }: MergeRequest,
    note: NoteFacts = async () => {},
  ): Promise<MergeResult> {
    const at = repository!
    const pull = await this.#pull(at, pullRequest.number)
    if (!pull) return refuse(`${at.name} has no pull request #${pullRequest.number}.`)
    if (pull.merged_at) return this.#held(at, pull, pull.merge_commit_sha!, verified)
    if (pull.state === 'closed') return refuse(closed(pull))
    if (pull.draft) return refuse('it is a draft on GitHub.')
    if (!verified) return refuse(unverified)
    if (pull.head.sha !== verified.head) return refuse(moved(pull.head.ref, verified.head, pull.head.sha))
    const strange = await strangeOrigin(verified, pull.base.ref, (one, other) =>
      this.#leadsTo(at, one, other),
    )
    if (strange) return refuse(strange)

    const reader = this.#reader(at)
    const queue = await readQueue(reader, pull.number)
    if (queue.isInMergeQueue)
      return wait(
        `#${pull.number} is in GitHub’s merge queue${queue.mergeQueueEntry ? ` at position ${queue.mergeQueueEntry.position}` : ''}.`,
      )
    const removed = queue.timelineItems.nodes[0]
    if (removed)
      return refuse(
        `GitHub removed #${pull.number} from its merge queue: ${sentence(oneLine(removed.reason) || 'no reason was given')}`,
      )
    if (queue.autoMergeRequest)
      return wait(`GitHub will auto-merge #${pull.number} once its requirements are met.`)

    const checks = await readChecks(reader, pull.head.sha)
    const held = heldByChecks(checks)
    if (held) return held
    const { changesRequestedBy, ...reviews } = await readOpinions(reader, pull.number, queue.reviewDecision)
    if (changesRequestedBy.length > 0)
      return refuse(`${fewNames(changesRequestedBy).join(', ')} asked for changes on GitHub.`)
    if (queue.reviewDecision === 'CHANGES_REQUESTED') return refuse('a reviewer on GitHub asked for changes.')
    if (queue.reviewDecision === 'REVIEW_REQUIRED')
      return wait(`#${pull.number} needs an approving review on GitHub.`)
    if (pull.mergeable === false) return outdated(conflicting(pull.base.ref))
    if (pull.mergeable !== true) return wait('GitHub is working out whether it can be merged.')

    await note({
      head: pull.head.sha,
      reviews,
      checks: { passed: fewNames(checks.passed), skipped: fewNames(checks.skipped) },
      queue: queue.isMergeQueueEnabled ? 'merge_queue' : 'none',
    })
    if (queue.isMergeQueueEnabled) {
      const added = await this.#mutate(enqueue, { id: pull.node_id, head: verified.head })
      return 'failed' in added
        ? refuse(`GitHub did not add it to its merge queue: ${sentence(added.failed)}`)
        : wait(`#${pull.number} is in GitHub’s merge queue.`)
    }
    const method = await this.#mergeMethod(at)
    const merged = await orRefusal(
      this.#write<{ sha: string }>(at, 'PUT', `/pulls/${pull.number}/merge`, {
        sha: verified.head,
        merge_method: method,
      }),
      403,
      405,
      409,
      422,
    )
    if (!(merged instanceof ToolRefused)) return this.#held(at, pull, merged.sha, verified)
    if (merged.status === 409) return refuse(`the branch ${pull.head.ref} moved after it was verified.`)
    // Another merge was faster; GitHub says so with the status of a refusal.
    if (/base branch was modified/i.test(refusalText(merged)))
      return wait(`The branch ${pull.base.ref} moved while it was merged.`)
    if (
      /status check/i.test(refusalText(merged)) &&
      /\b(?:is|are) (?:expected|pending|in progress|queued)/i.test(refusalText(merged))
    )
      return wait(`GitHub did not merge it yet: ${sentence(refusalText(merged))}`)
    if (/out.of.date|not up.to.date|must be up to date/i.test(refusalText(merged)))
      return outdated(refusedAs('GitHub did not merge it', merged))
    return refuse(refusedAs('GitHub did not merge it', merged))
  }

  /** Compares what was merged, by anyone, with what was verified. */
  #held(
    at: TeamRepository,
    { head }: Pick<Pull, 'head'>,
    commit: string,
    verified: Verified | null,
  ): MergeResult | Promise<MergeResult> {
    if (!verified) return mergedUnverified(commit)
    if (head.sha !== verified.head) return mergedOther(commit, head.sha, verified)
    return heldMerge(verified, commit, {
      commit: async (id) => {
        const found = await orNull(this.#read<GitCommit>(at, `/git/commits/${encodeURIComponent(id)}`))
        return found && { tree: found.tree.sha, parents: found.parents.map(({ sha }) => sha) }
      },
      changed: async (from, to) => {
        const [before, after] = await Promise.all([this.#entries(at, from), this.#entries(at, to)])
        return before && after && differing(before, after)
      },
    })
  }

  /** Every file of a commit; null: they are more than GitHub lists. */
  async #entries(at: TeamRepository, commit: string): Promise<Map<string, string> | null> {
    const { tree, truncated } = await this.#read<GitTree>(at, `/git/trees/${encodeURIComponent(commit)}`, {
      recursive: 1,
    })
    if (truncated) return null
    return new Map(
      tree.filter(({ type }) => type !== 'tree').map(({ path, mode, sha }) => [path, `${mode} ${sha}`]),
    )
  }

  /** Whether a commit is part of what led to another, or to a branch. What GitHub does not know is part of nothing. */
  async #leadsTo(at: TeamRepository, commit: string, to: string): Promise<boolean> {
    const pair = [commit, to].map(encodeURIComponent).join('...')
    const compared = await orNull(this.#read<{ status: string }>(at, `/compare/${pair}`, { per_page: 1 }))
    return compared?.status === 'ahead' || compared?.status === 'identical'
  }

  async readPullRequest({ repository, pullRequest }: MergeRequest): Promise<PullRequestNow | null> {
    const pull = await this.#pull(repository!, pullRequest.number)
    if (!pull) return null
    if (pull.merged_at) return { state: 'merged', commit: pull.merge_commit_sha!, head: pull.head.sha }
    if (pull.state === 'open' && pull.mergeable === false)
      return { state: 'open', conflicts: conflicting(pull.base.ref) }
    return { state: pull.state }
  }

  async checkMain({ repository, pullRequest, verified }: MergeRequest): Promise<MainCheck> {
    const at = repository!
    const pull = await this.#pull(at, pullRequest.number)
    if (!pull?.merge_commit_sha) return { state: 'by_runner' }
    const checks = await this.#checksOf(at, pull.merge_commit_sha)
    // If there were no checks before the merge, there are none now, so do not wait for any.
    if (!hasChecks(checks) && !hasChecks(await this.#checksOf(at, pull.base.sha)))
      return { state: 'by_runner' }
    const now = this.#options.clock.now()
    const after = mainAfter(checks, pull.merged_at, now)
    if (after.state !== 'red') return after
    const parentOf = async (id: string) =>
      (await orNull(this.#read<GitCommit>(at, `/git/commits/${id}`)))?.parents[0]?.sha ?? null
    const checksOf = (id: string) => this.#checksOf(at, id)
    const onto = await mergedOnto(pull.merge_commit_sha, verified?.commits ?? 1, parentOf, checksOf)
    return blamed(after, checks, onto, isTooLate(pull.merged_at, now))
  }

  async readMain({ repository }: MainRequest): Promise<MainNow | null> {
    const at = repository!
    const commit = await this.#tip(at, at.branch)
    return commit ? mainNow(await this.#checksOf(at, commit), commit) : null
  }

  async readReviews({ repository, pullRequest }: MergeRequest): Promise<Review[]> {
    const at = repository!
    const last = await lastReviews(this.#reader(at), pullRequest.number)
    const wanted = last.filter(
      ({ state, author_association }) =>
        state === 'CHANGES_REQUESTED' && trusted.includes(author_association),
    )
    return Promise.all(
      wanted.map(async ({ id, user, commit_id, body }) => {
        const comments = await this.#read<ReviewComment[]>(
          at,
          `/pulls/${pullRequest.number}/reviews/${id}/comments`,
          { per_page: page },
        )
        const places = comments.map((one) => `${one.path}${one.line ? `:${one.line}` : ''}: ${one.body}`)
        return {
          id: `${id}`,
          author: user!.login,
          commit: commit_id,
          text: [body, ...places].filter((part) => part).join('\n\n'),
        }
      }),
    )
  }

  async openRevert({ repository, pullRequest }: MergeRequest): Promise<Opened> {
    const pull = await this.#pull(repository!, pullRequest.number)
    if (!pull?.merged_at) return { refused: `pull request #${pullRequest.number} is not merged.` }
    return this.#revert(repository!, pull)
  }

  async revertCommit(request: RevertRequest): Promise<Opened> {
    const { teamRepository: own, commit } = request
    const pulls = request.pullRequest
      ? [await this.#pull(own!, request.pullRequest)]
      : await orGone(
          this.#read<Pull[]>(own!, `/commits/${encodeURIComponent(commit)}/pulls`),
          this.#shown(own!),
        )
    const pull = pulls?.find((one) => one?.merged_at)
    if (!pull) return { refused: `commit ${short(commit)} did not come from a pull request.` }
    return this.#revert(own!, pull)
  }

  async #revert(at: TeamRepository, pull: Pull): Promise<Opened> {
    const commit = pull.merge_commit_sha!
    const marker = `<!-- signalbox:revert ${commit} -->`
    const open = await this.#read<Pull[]>(at, '/pulls', { state: 'open', per_page: page })
    const before = open.find(({ body }) => body?.includes(marker))
    if (before) return shown(before)
    const made = await this.#mutate<{
      revertPullRequest: { revertPullRequest: { number: number; url: string } }
    }>(revert, {
      id: pull.node_id,
      title: `Revert "${pull.title}"`,
      body: `Reverts ${commit}.\n\n${marker}`,
    })
    if ('failed' in made)
      return { refused: `GitHub can’t revert #${pull.number} automatically: ${sentence(made.failed)}` }
    const { number, url } = made.data.revertPullRequest.revertPullRequest
    return { pullRequest: { number, url } }
  }

  /** What there is for a branch already; null: nothing, so that one can be opened. */
  async #opened(
    at: TeamRepository,
    branch: { name: string; head: string },
    { body, redescribes }: Partial<Pick<OpenRequest, 'body' | 'redescribes'>> = {},
  ): Promise<Opened | null> {
    const found = await this.#read<Pull[]>(at, '/pulls', {
      head: `${at.name.split('/')[0]}:${branch.name}`,
      base: at.branch,
      state: 'all',
      per_page: page,
    })
    const one =
      found.find(({ state }) => state === 'open') ??
      found.find(({ merged_at, head }) => merged_at && head.sha === branch.head)
    if (redescribes && one?.state === 'open' && one.body !== body)
      await this.#write(at, 'PATCH', `/pulls/${one.number}`, { body })
    if (one) return shown(one)
    const shut = found.find(({ head }) => head.sha === branch.head)
    return shut ? { refused: `pull request #${shut.number} for the branch ${branch.name} was closed.` } : null
  }

  /** Closes those of earlier attempts, so that no one merges them in addition to the newer one. */
  async #closeOthers(at: TeamRepository, branch: string): Promise<void> {
    const attempts = attemptsOf(branch)
    if (!attempts) return
    const open = await this.#read<Pull[]>(at, '/pulls', { state: 'open', per_page: page })
    for (const { number, head } of open)
      if (head.ref !== branch && attemptsOf(head.ref) === attempts)
        await this.#write(at, 'PATCH', `/pulls/${number}`, { state: 'closed' })
  }

  async #tip(at: TeamRepository, branch: string): Promise<string | null> {
    const path = `/branches/${encodeURIComponent(branch)}`
    const found = await orGone(this.#read<{ commit: { sha: string } }>(at, path), this.#shown(at))
    return found?.commit.sha ?? null
  }

  #pull(at: TeamRepository, number: number): Promise<Pull | null> {
    return orGone(this.#read<Pull>(at, `/pulls/${number}`), this.#shown(at))
  }

  #shown = (at: TeamRepository): Shown => ({
    repository: () => this.#read(at, ''),
    hidden: `${hiddenOnGitHub(at)} Give its account access.`,
  })

  #checksOf(at: TeamRepository, commit: string): Promise<Checks> {
    return readChecks(this.#reader(at), commit)
  }

  /** A merge commit where the repository allows one; otherwise what it allows. */
  async #mergeMethod(at: TeamRepository): Promise<'merge' | 'squash' | 'rebase'> {
    const settings = await this.#read<Repository>(at, '')
    if (settings.allow_merge_commit !== false) return 'merge'
    return settings.allow_squash_merge === false ? 'rebase' : 'squash'
  }

  #reader(at: TeamRepository): GitHubReader {
    const [owner, name] = at.name.split('/')
    return {
      repository: { owner: owner!, name: name! },
      read: (path, query) => this.#read(at, path, query),
      ask: (query, variables) => this.#ask(query, variables),
      now: () => this.#options.clock.now(),
    }
  }

  async #ask<T>(query: string, variables: object): Promise<GraphqlAnswer<T>> {
    const { connection, call } = this.#options
    // Beside the REST API of a GitHub Enterprise Server, not below it; an app still gets its token from the REST API.
    const path = connection.baseUrl.endsWith('/v3') ? '/../graphql' : '/graphql'
    const { body } = await call(connection, { method: 'POST', path, json: { query, variables } })
    return { data: body?.data ?? null, errors: Array.isArray(body?.errors) ? body.errors : [] }
  }

  /** What GitHub did, or why it does not; what may pass is thrown. */
  async #mutate<T>(query: string, variables: object): Promise<{ data: T } | { failed: string }> {
    const { data, errors } = await this.#ask<T>(query, variables)
    if (mayPass(errors) || (errors.length === 0 && !data))
      throw unread('the result', errors, this.#options.clock.now())
    return errors[0] ? { failed: oneLine(errors[0].message) } : { data: data! }
  }

  async #read<T>(at: TeamRepository, path: string, query: ToolRequest['query'] = {}): Promise<T> {
    const { connection, call } = this.#options
    return (await call(connection, { path: pathOf(at) + path, query })).body as T
  }

  async #write<T>(
    at: TeamRepository,
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    json: unknown,
  ): Promise<T> {
    const { connection, call } = this.#options
    const done = call(connection, { method, path: pathOf(at) + path, json })
    return (await orHidden(done, this.#shown(at))).body as T
  }
}

interface Repository {
  archived: boolean
  permissions?: { push: boolean }
  allow_merge_commit?: boolean
  allow_squash_merge?: boolean
}

interface GitCommit {
  tree: { sha: string }
  parents: { sha: string }[]
}

interface GitTree {
  tree: { path: string; mode: string; type: string; sha: string }[]
  truncated: boolean
}

interface CheckRun {
  id: number
  name: string
  status: string
  conclusion: string | null
  external_id: string | null
}

interface ReviewComment {
  path: string
  line: number | null
  body: string
}

function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
}

const pathOf = ({ name }: TeamRepository) => `/repos/${name.split('/').map(encodeURIComponent).join('/')}`

const hiddenOnGitHub = ({ name }: TeamRepository) =>
  `GitHub has no repository ${name}, or hides it from this connection.`

const shown = ({ number, html_url: url }: Pull) => ({ pullRequest: { number, url } })
