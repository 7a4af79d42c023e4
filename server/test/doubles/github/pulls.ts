import { BareRepository } from '../../../integrations/git-hosts/local/bare-repository.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from '../double.ts'
import { type GitBehind, serveGit } from '../git-server.ts'
import { type GithubDouble, notFound } from '../github.ts'
import {
  branchOf,
  checkOf,
  combinedOf,
  comparisonOf,
  gitCommitOf,
  listedPullOf,
  permissionOf,
  pullOf,
  reviewCommentOf,
  reviewOf,
  type ShownCheck,
  type ShownCommit,
  type ShownPull,
  type ShownReview,
  type ShownStatus,
  type ShownSuite,
  statusOf,
  suiteOf,
} from '../github-shapes.ts'

interface Pull {
  number: number
  repository: string
  title: string
  body: string
  head: string
  base: string
  /** Where the base stood when it was opened. */
  baseSha: string
  state: 'open' | 'closed'
  /** Where the branch stood when it was closed. */
  closedAt: string | null
  merge: { commit: string; at: string } | null
  reviews: Review[]
  isQueued: boolean
  removedBecause: string | null
  autoMerge: boolean
  draft: boolean
}

interface Review extends Omit<ShownReview, 'commit'> {
  /** The commit that was looked at; left out: the newest. */
  commit?: string
  comments: { path: string; line: number; body: string }[]
}

const invalid = (message: string): DoubleAnswer => ({
  status: 422,
  json: { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] },
})

/** Pull requests, checks and statuses of the GitHub double, with real git behind them. */
export class GithubPulls {
  readonly pulls: Pull[] = []
  readonly checks = new Map<string, ShownCheck[]>()
  readonly statuses = new Map<string, ShownStatus[]>()
  readonly #repositories = new Map<string, GitBehind>()
  /** What a person may do here, by login; anyone not listed is no collaborator. */
  readonly permissions = new Map<string, string>()
  /** By commit. */
  readonly suites = new Map<string, ShownSuite[]>()
  /** What GraphQL says instead of an answer to a query, as long as it is there. */
  graphqlSays: { data?: unknown; errors?: unknown[] } | null = null
  /** Rules of the repository. */
  rules = { queue: false, review: false, required: [] as string[] }
  /** GitHub lists only so many files of a tree, and says so. */
  truncates = false
  /** GitHub works out whether a pull request can be merged after it was asked for the first time. */
  thinksFirst = false
  /** Merges this commit instead of the one that it was asked to merge. */
  swaps: string | null = null
  /** Does what it was asked, and then answers with this status, once. */
  failsAfter: number | null = null
  readonly #double: GithubDouble
  readonly #thought = new Set<Pull>()
  readonly #commits = new Map<string, ShownCommit>()

  constructor(double: GithubDouble) {
    this.#double = double
    this.#servePulls()
    this.#serveCommits()
    this.#serveChecks()
    this.#serveReviews()
    this.#serveGraphql()
    serveGit(double, this.#repositories, (password, repository) => {
      const token = double.tokens.get(password)
      if (!token) return null
      const scope = double.scoped.get(password)
      if (scope?.repositories && !scope.repositories.includes(repository.split('/')[1]!)) return null
      return token.push && (scope?.contents ?? 'write') === 'write' ? 'write' : 'read'
    })
  }

  /** A repository over there, and its git. */
  add(name: string, git: GitBehind): void {
    this.#double.addRepository(name)
    this.#repositories.set(name, git)
  }

  check(commit: string, name: string, conclusion: ShownCheck['conclusion']): void {
    const all = this.checks.get(commit) ?? []
    const made: ShownCheck = {
      ...{ id: this.#double.nextId(), commit, name, conclusion, external_id: null, details_url: null },
      status: conclusion === null ? 'in_progress' : 'completed',
      output: { title: null, summary: null },
    }
    this.checks.set(commit, [...all.filter((one) => one.name !== name), made])
  }

  status(commit: string, context: string, state: string): void {
    const all = this.statuses.get(commit) ?? []
    const made = { context, state, target_url: '', description: '' }
    this.statuses.set(commit, [...all.filter((one) => one.context !== context), made])
  }

  /** What a person does over there. */
  async mergeByHand(number: number, repository?: string): Promise<void> {
    await this.#merge(this.#byNumber(number, repository))
  }

  closeByHand(number: number, repository?: string): void {
    this.#close(this.#byNumber(number, repository))
  }

  #byNumber(number: number, repository = this.pulls[0]?.repository): Pull {
    return this.pulls.find((one) => one.number === number && one.repository === repository)!
  }

  /** Of all repositories, as its ids for GraphQL are. */
  #idOf = (pull: Pull) => this.pulls.indexOf(pull) + 1

  #git = (name: string) => this.#repositories.get(name)!
  #tip = (pull: Pull) => pull.closedAt ?? this.#git(pull.repository).tip(pull.head)!

  #close(pull: Pull): void {
    Object.assign(pull, { closedAt: this.#tip(pull), state: 'closed' })
  }

  async #canMerge(pull: Pull): Promise<boolean> {
    const git = this.#git(pull.repository)
    return 'tree' in (await new BareRepository(git.bare).join(git.tip(pull.base)!, this.#tip(pull)))
  }

  async #merge(pull: Pull, method = 'merge'): Promise<string> {
    const git = this.#git(pull.repository)
    const bare = new BareRepository(git.bare)
    const [tip, head] = [git.tip(pull.base)!, this.#tip(pull)]
    const brought = this.swaps ?? head
    const joined = await bare.join(tip, brought)
    if (!('tree' in joined)) throw new Error('It conflicts.')
    const parents = method === 'merge' ? [tip, brought] : [tip]
    const commit = await bare.commit(joined.tree, parents, `Merge pull request #${pull.number}`)
    await bare.move(pull.base, commit, tip, 'merge')
    Object.assign(pull, { state: 'closed', closedAt: head, isQueued: false })
    pull.merge = { commit, at: new Date().toISOString() }
    return commit
  }

  #shownOf(pull: Pull): ShownPull {
    const { number, title, body, state, draft, merge } = pull
    return {
      ...{ id: this.#idOf(pull), number, title, body, state, draft, merge, isAutoMerged: pull.autoMerge },
      ...{ head: { ref: pull.head, sha: this.#tip(pull) }, base: { ref: pull.base, sha: pull.baseSha } },
    }
  }

  #repository = (name: string) => this.#double.repositories.find((one) => one.full_name === name)!

  #listed = (pull: Pull) =>
    listedPullOf(this.#double.url, this.#repository(pull.repository), this.#shownOf(pull))

  #shown = (pull: Pull, mergeable: boolean | null = null) =>
    pullOf(this.#double.url, this.#repository(pull.repository), this.#shownOf(pull), mergeable)

  /** A commit never changes, and each git command is a process. */
  #commit(name: string, commit: string): ShownCommit {
    const known = this.#commits.get(`${name} ${commit}`)
    if (known) return known
    const said = this.#git(name).git('show', '-s', '--format=%H%n%T%n%P%n%B', commit)
    const [sha, tree, parents, ...message] = said.split('\n') as [string, string, string]
    const made = {
      sha,
      tree,
      parents: parents.split(' ').filter(Boolean),
      message: message.join('\n').trim(),
    }
    this.#commits.set(`${name} ${sha}`, made)
    return made
  }

  #on(
    method: string,
    pattern: string,
    handler: (request: DoubleRequest, repository: string) => DoubleAnswer | Promise<DoubleAnswer>,
  ): void {
    this.#double.on(method, new RegExp(`^(?:/api/v3)?/repos/([^/]+/[^/]+)${pattern}$`), async (request) => {
      const [name, ...params] = request.params
      if (!this.#repositories.has(name!)) return notFound
      if (method !== 'GET' && !this.#double.tokenOf(request)!.push)
        return { status: 403, json: { message: 'Resource not accessible by personal access token' } }
      const answer = await handler({ ...request, params }, name!)
      const status = this.failsAfter
      if (method === 'GET' || status === null) return answer
      this.failsAfter = null
      return { status, text: '<html>Unicorn!</html>' }
    })
  }

  #servePulls(): void {
    this.#on('GET', '/branches/(.+)', ({ params: [branch] }, name) => {
      const sha = this.#git(name).tip(branch!)
      return sha
        ? { json: branchOf(this.#double.url, name, branch!, this.#commit(name, sha)) }
        : { status: 404, json: { message: 'Branch not found' } }
    })
    this.#on('GET', '/pulls', ({ query }, name) => {
      const state = query.get('state') ?? 'open'
      const head = query.get('head')
      const found = this.pulls.filter(
        (one) =>
          one.repository === name &&
          (state === 'all' || one.state === state) &&
          (!head || head === `${name.split('/')[0]}:${one.head}`) &&
          (!query.get('base') || query.get('base') === one.base),
      )
      return { json: pageOf(found.toReversed(), query).map(this.#listed) }
    })
    this.#on('POST', '/pulls', ({ body }, name) => {
      const git = this.#git(name)
      if (!git.tip(body.head)) return invalid(`Field head is invalid: ${body.head}`)
      if (this.pulls.some((one) => one.repository === name && one.head === body.head && one.state === 'open'))
        return invalid(`A pull request already exists for ${name.split('/')[0]}:${body.head}.`)
      if (git.tip(body.head) === git.tip(body.base))
        return invalid(`No commits between ${body.base} and ${body.head}`)
      return { status: 201, json: this.#shown(this.#open(name, body)) }
    })
    this.#on('GET', '/pulls/(\\d+)', async ({ params: [number] }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
      const thinks = this.thinksFirst && !this.#thought.has(pull)
      this.#thought.add(pull)
      const mergeable = pull.state === 'open' ? (thinks ? null : await this.#canMerge(pull)) : null
      return { json: this.#shown(pull, mergeable) }
    })
    this.#on('PATCH', '/pulls/(\\d+)', ({ params: [number], body }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
      if (body.body !== undefined) pull.body = body.body
      if (body.state === 'closed') this.#close(pull)
      return { json: this.#shown(pull) }
    })
    this.#on('PUT', '/pulls/(\\d+)/merge', async ({ params: [number], body }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
      const no = (message: string) => ({ status: 405, json: { message } })
      if (pull.merge || pull.state === 'closed') return no('Pull Request is not mergeable')
      if (pull.draft) return no('Pull Request is still a draft')
      if (body.sha && body.sha !== this.#tip(pull))
        return {
          status: 409,
          json: { message: 'Head branch was modified. Review and try the merge again.' },
        }
      if (this.rules.queue) return no('Changes must be made through the merge queue')
      const missing = this.rules.required.find((check) => !this.#hasPassed(pull, check))
      if (missing) return no(`Required status check "${missing}" is expected.`)
      if (body.merge_method === 'merge' && !this.#double.merging.merge)
        return no('Merge commits are not allowed on this repository.')
      if (!(await this.#canMerge(pull))) return no('Pull Request is not mergeable')
      const sha = await this.#merge(pull, body.merge_method)
      return { json: { sha, merged: true, message: 'Pull Request successfully merged' } }
    })
    this.#on('GET', '/commits/(\\w+)/pulls', ({ params: [commit] }, name) => ({
      json: this.pulls
        .filter((one) => one.repository === name && one.merge?.commit === commit)
        .map(this.#listed),
    }))
  }

  #serveCommits(): void {
    const orNotFound = (answer: () => unknown): DoubleAnswer => {
      try {
        return { json: answer() }
      } catch {
        return notFound
      }
    }
    this.#on('GET', '/git/commits/(\\w+)', ({ params: [commit] }, name) =>
      orNotFound(() => {
        return gitCommitOf(this.#double.url, name, this.#commit(name, commit!))
      }),
    )
    this.#on('GET', '/git/trees/(\\w+)', ({ params: [commit] }, name) =>
      orNotFound(() => {
        const lines = this.#git(name).git('ls-tree', '-r', '-t', commit!).split('\n').filter(Boolean)
        const tree = lines.map((line) => {
          const [, mode, type, sha, path] = /^(\d+) (\w+) (\w+)\t(.*)$/.exec(line)!
          return { path, mode, type, sha, url: `${this.#double.url}/repos/${name}/git/${type}s/${sha}` }
        })
        return {
          sha: commit,
          url: `${this.#double.url}/git/trees/${commit}`,
          tree,
          truncated: this.truncates,
        }
      }),
    )
    this.#on('GET', '/compare/(.+)\\.\\.\\.(.+)', ({ params: [from, to] }, name) =>
      orNotFound(() => {
        const git = (...command: string[]) => this.#git(name).git(...command)
        const tipOf = (ref: string) => git('rev-parse', '--verify', `${ref}^{commit}`)
        const [a, b] = [tipOf(from!), tipOf(to!)]
        const base = git('merge-base', a, b)
        const counted = git('rev-list', '--left-right', '--count', `${a}...${b}`).split('\t').map(Number)
        const [behind, ahead] = counted as [number, number]
        const status = a === b ? 'identical' : behind === 0 ? 'ahead' : ahead === 0 ? 'behind' : 'diverged'
        return comparisonOf(this.#double.url, name, {
          ...{ pair: `${from}...${to}`, status, ahead, behind },
          ...{ base: this.#commit(name, a), mergeBase: this.#commit(name, base) },
        })
      }),
    )
  }

  #hasPassed(pull: Pull, name: string): boolean {
    const tip = this.#tip(pull)
    return (
      (this.checks.get(tip) ?? []).some((one) => one.name === name && one.conclusion === 'success') ||
      (this.statuses.get(tip) ?? []).some((one) => one.context === name && one.state === 'success')
    )
  }

  #find(name: string, number: string | undefined): Pull | undefined {
    return this.pulls.find((one) => one.repository === name && `${one.number}` === number)
  }

  #open(repository: string, { title, body, head, base }: Record<string, string>): Pull {
    const made: Pull = {
      number: this.pulls.filter((one) => one.repository === repository).length + 1,
      repository,
      ...{ title: title!, body: body ?? '', head: head!, base: base! },
      baseSha: this.#git(repository).tip(base!)!,
      ...{ state: 'open', closedAt: null, merge: null, reviews: [] },
      ...{ isQueued: false, removedBecause: null, autoMerge: false, draft: false },
    }
    this.pulls.push(made)
    return made
  }

  #serveChecks(): void {
    this.#on('GET', '/commits/(\\w+)/check-runs', ({ params: [commit], query }, name) => {
      const wanted = query.get('check_name')
      const all = (this.checks.get(commit!) ?? []).filter((one) => !wanted || one.name === wanted)
      const shown = pageOf(all, query).map((one) => checkOf(this.#double.url, name, one))
      return { json: { total_count: all.length, check_runs: shown } }
    })
    this.#on('GET', '/commits/(\\w+)/status', ({ params: [commit], query }, name) => {
      const all = this.statuses.get(commit!) ?? []
      const shown = { total: all.length, statuses: pageOf(all, query) }
      return { json: combinedOf(this.#double.url, this.#repository(name), commit!, shown) }
    })
    this.#on('GET', '/commits/(\\w+)/check-suites', ({ params: [commit], query }, name) => {
      const all = this.suites.get(commit!) ?? []
      const shown = pageOf(all, query).map((one) =>
        suiteOf(this.#double.url, this.#repository(name), commit!, one),
      )
      return { json: { total_count: all.length, check_suites: shown } }
    })
    const isApp = (request: DoubleRequest) => this.#double.tokenOf(request)!.login.endsWith('[bot]')
    const notByToken = {
      status: 403,
      json: { message: 'You must authenticate via a GitHub App.' },
    }
    this.#on('POST', '/check-runs', (request, name) => {
      if (!isApp(request)) return notByToken
      const { head_sha: commit, ...rest } = request.body
      const made: ShownCheck = {
        ...{ external_id: null, details_url: null, output: { title: null, summary: null } },
        ...{ ...rest, commit, id: this.#double.nextId() },
      }
      this.checks.set(commit, [...(this.checks.get(commit) ?? []), made])
      return { status: 201, json: checkOf(this.#double.url, name, made) }
    })
    this.#on('PATCH', '/check-runs/(\\d+)', (request, name) => {
      if (!isApp(request)) return notByToken
      const found = [...this.checks.values()].flat().find(({ id }) => `${id}` === request.params[0])
      if (!found) return notFound
      // A commit cannot be changed.
      const { head_sha: _, ...changes } = request.body
      return { json: checkOf(this.#double.url, name, Object.assign(found, changes)) }
    })
    this.#on('POST', '/statuses/(\\w+)', (request, name) => {
      const {
        params: [commit],
        body,
      } = request
      if (!/^(error|failure|pending|success)$/.test(body.state)) return invalid('state is invalid')
      if (body.description?.length > 140)
        return invalid('description is too long (maximum is 140 characters)')
      if (this.#git(name).git('cat-file', '-t', commit!) !== 'commit')
        return invalid(`No commit found for SHA: ${commit}`)
      const all = this.statuses.get(commit!) ?? []
      this.statuses.set(commit!, [...all.filter(({ context }) => context !== body.context), body])
      const { login } = this.#double.tokenOf(request)!
      return { status: 201, json: statusOf(this.#double.url, login, body) }
    })
  }

  #serveReviews(): void {
    this.#on('GET', '/collaborators/([^/]+)/permission', ({ params: [login] }) => {
      const permission = this.permissions.get(login!)
      return permission
        ? { json: permissionOf(this.#double.url, login!, permission) }
        : { status: 404, json: { message: `${login} is not a user` } }
    })
    this.#on('GET', '/pulls/(\\d+)/reviews', ({ params: [number], query }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
      const shown = (one: Review) => reviewOf(this.#double.url, this.#apiOf(pull), this.#reviewed(pull, one))
      return { json: pageOf(pull.reviews, query).map(shown) }
    })
    this.#on('GET', '/pulls/(\\d+)/reviews/(\\d+)/comments', ({ params: [number, id], query }, name) => {
      const pull = this.#find(name, number)
      const review = pull?.reviews.find((one) => `${one.id}` === id)
      if (!pull || !review) return notFound
      const of = this.#reviewed(pull, review)
      return {
        json: pageOf(review.comments, query).map((one) =>
          reviewCommentOf(this.#double.url, this.#apiOf(pull), of, one),
        ),
      }
    })
  }

  #apiOf = ({ repository, number }: Pull) => `${this.#double.url}/repos/${repository}/pulls/${number}`

  #reviewed = (pull: Pull, { commit, ...review }: Review): ShownReview => ({
    ...review,
    commit: commit ?? this.#tip(pull),
  })

  /** The three documents that we send; others are refused, as a field that is not in the schema would be. */
  #serveGraphql(): void {
    const failed = (message: string) => ({
      json: { data: null, errors: [{ type: 'UNPROCESSABLE', message }] },
    })
    this.#double.on('POST', /^(?:\/api)?\/graphql$/, async ({ body: { query, variables } }) => {
      const byId = this.pulls.find((one) => variables.id === `PR_${this.#idOf(one)}`)
      if (this.graphqlSays && !query.startsWith('mutation')) return { json: this.graphqlSays }
      if (query.includes('reviewDecision')) {
        const pull = this.#find(`${variables.owner}/${variables.name}`, `${variables.number}`)
        if (!pull) return failed('Could not resolve to a PullRequest.')
        return { json: { data: { repository: { pullRequest: this.#queueOf(pull) } } } }
      }
      if (query.includes('enqueuePullRequest')) {
        if (!byId || variables.head !== this.#tip(byId)) return failed('Head branch was modified.')
        byId.isQueued = true
        return { json: { data: { enqueuePullRequest: { mergeQueueEntry: { position: 1 } } } } }
      }
      if (query.includes('revertPullRequest')) {
        if (!byId?.merge) return failed('Pull request is not merged.')
        const made = await this.#revert(byId, variables)
        if (!made) return failed('Could not be reverted automatically.')
        const url = this.#shown(made).html_url
        const answer = {
          json: { data: { revertPullRequest: { revertPullRequest: { number: made.number, url } } } },
        }
        const status = this.failsAfter
        this.failsAfter = null
        return status === null ? answer : { status, text: '<html>Unicorn!</html>' }
      }
      return failed('Field does not exist.')
    })
  }

  #queueOf(pull: Pull) {
    const isApproved = pull.reviews.some(({ state }) => state === 'APPROVED')
    const refused = pull.reviews.some(({ state }) => state === 'CHANGES_REQUESTED')
    return {
      isInMergeQueue: pull.isQueued,
      isMergeQueueEnabled: this.rules.queue,
      mergeQueueEntry: pull.isQueued ? { position: 1 } : null,
      autoMergeRequest: pull.autoMerge ? { enabledAt: new Date().toISOString() } : null,
      reviewDecision: !this.rules.review
        ? null
        : refused
          ? 'CHANGES_REQUESTED'
          : isApproved
            ? 'APPROVED'
            : 'REVIEW_REQUIRED',
      timelineItems: { nodes: pull.removedBecause ? [{ reason: pull.removedBecause }] : [] },
    }
  }

  async #revert(pull: Pull, { title, body }: { title: string; body: string }): Promise<Pull | null> {
    const git = this.#git(pull.repository)
    const bare = new BareRepository(git.bare)
    const tip = git.tip(pull.base)!
    const [parent] = await bare.parentsOf(pull.merge!.commit)
    const without = await bare.without(pull.merge!.commit, parent!, tip)
    if (!('tree' in without)) return null
    const head = `revert-${pull.number}-${pull.head}`
    await bare.move(head, await bare.commit(without.tree, [tip], title), null, 'revert')
    return this.#open(pull.repository, { title, body, head, base: pull.base })
  }
}
