import { BareRepository } from '../../../integrations/git-hosts/local/bare-repository.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from '../double.ts'
import { type GitBehind, serveGit } from '../git-server.ts'
import type { GithubDouble } from '../github.ts'

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

interface Review {
  id: number
  login: string
  association: string
  state: string
  body: string
  /** The commit that was looked at; left out: the newest. */
  commit?: string
  comments: { path: string; line: number; body: string }[]
}

interface Check {
  id: number
  name: string
  status: string
  conclusion: string | null
  external_id: string | null
  output: unknown
}

const notFound = { status: 404, json: { message: 'Not Found' } }
const invalid = (message: string): DoubleAnswer => ({
  status: 422,
  json: { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] },
})

/** Pull requests, checks and statuses of the GitHub double, with real git behind them. */
export class GithubPulls {
  readonly pulls: Pull[] = []
  readonly checks = new Map<string, Check[]>()
  readonly statuses = new Map<
    string,
    { context: string; state: string; target_url: string; description: string }[]
  >()
  readonly #repositories = new Map<string, GitBehind>()
  /** What a token of an installation was narrowed to. */
  readonly scoped = new Map<string, { repositories: string[] | null; contents: string }>()
  /** What a person may do here, by login; whoever is not named is no collaborator. */
  readonly permissions = new Map<string, string>()
  /** By commit. */
  readonly suites = new Map<string, Record<string, unknown>[]>()
  /** What GraphQL says instead of an answer to a query, as long as it is there. */
  graphqlSays: { data?: unknown; errors?: unknown[] } | null = null
  /** Rules of the repository. */
  rules = { queue: false, review: false, required: [] as string[], merge: true, squash: true }
  /** GitHub lists only so many files of a tree, and says so. */
  truncates = false
  /** GitHub works out whether a pull request can be merged after it was asked for the first time. */
  thinksFirst = false
  /** Merges this commit instead of the one that it was asked to merge. */
  swaps: string | null = null
  /** Does what it was asked, and then answers with this status, once. */
  failsAfter: number | null = null
  readonly #double: GithubDouble
  readonly #thought = new Set<number>()

  constructor(double: GithubDouble) {
    this.#double = double
    this.#servePulls()
    this.#serveCommits()
    this.#serveChecks()
    this.#serveReviews()
    this.#serveGraphql()
    this.#serveTokens()
    serveGit(double, this.#repositories, (password, repository) => {
      const token = double.tokens.get(password)
      if (!token) return null
      const scope = this.scoped.get(password)
      if (scope?.repositories && !scope.repositories.includes(repository.split('/')[1]!)) return null
      return token.push && (scope?.contents ?? 'write') === 'write' ? 'write' : 'read'
    })
  }

  /** A repository over there, and its git. */
  add(name: string, git: GitBehind): void {
    this.#double.addRepository(name)
    this.#repositories.set(name, git)
  }

  check(commit: string, name: string, conclusion: string | null): void {
    const all = this.checks.get(commit) ?? []
    const made = { id: this.#double.nextId(), name, conclusion, external_id: null, output: null }
    const status = conclusion === null ? 'in_progress' : 'completed'
    this.checks.set(commit, [...all.filter((one) => one.name !== name), { ...made, status }])
  }

  status(commit: string, context: string, state: string): void {
    const all = this.statuses.get(commit) ?? []
    const made = { context, state, target_url: '', description: '' }
    this.statuses.set(commit, [...all.filter((one) => one.context !== context), made])
  }

  /** What a person does over there. */
  async mergeByHand(number: number): Promise<void> {
    await this.#merge(this.pulls.find((one) => one.number === number)!)
  }

  closeByHand(number: number): void {
    this.#close(this.pulls.find((one) => one.number === number)!)
  }

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

  /** As a list shows it; alone it also says whether it can be merged. */
  #shown(pull: Pull) {
    const { url } = this.#double
    return {
      number: pull.number,
      node_id: `PR_${pull.number}`,
      html_url: `${url}/${pull.repository}/pull/${pull.number}`,
      state: pull.state,
      draft: pull.draft,
      title: pull.title,
      body: pull.body,
      merged_at: pull.merge?.at ?? null,
      merge_commit_sha: pull.merge?.commit ?? null,
      head: { ref: pull.head, sha: this.#tip(pull), repo: { full_name: pull.repository } },
      base: { ref: pull.base, sha: pull.baseSha },
    }
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
    this.#on('GET', '', (_, name) => {
      const found = this.#double.repositories.find((one) => one.full_name === name)!
      const { merge, squash } = this.rules
      return {
        json: {
          ...this.#double.rendered(found),
          archived: false,
          allow_merge_commit: merge,
          allow_squash_merge: squash,
        },
      }
    })
    this.#on('GET', '/branches/(.+)', ({ params: [branch] }, name) => {
      const sha = this.#git(name).tip(branch!)
      return sha
        ? { json: { name: branch, commit: { sha } } }
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
      return { json: found.toReversed().map((one) => this.#shown(one)) }
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
      const thinks = this.thinksFirst && !this.#thought.has(pull.number)
      this.#thought.add(pull.number)
      const mergeable = pull.state === 'open' ? (thinks ? null : await this.#canMerge(pull)) : null
      return { json: { ...this.#shown(pull), mergeable } }
    })
    this.#on('PATCH', '/pulls/(\\d+)', ({ params: [number], body }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
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
      if (body.merge_method === 'merge' && !this.rules.merge)
        return no('Merge commits are not allowed on this repository.')
      if (!(await this.#canMerge(pull))) return no('Pull Request is not mergeable')
      const sha = await this.#merge(pull, body.merge_method)
      return { json: { sha, merged: true, message: 'Pull Request successfully merged' } }
    })
    this.#on('GET', '/commits/(\\w+)/pulls', ({ params: [commit] }, name) => ({
      json: this.pulls
        .filter((one) => one.repository === name && one.merge?.commit === commit)
        .map((one) => this.#shown(one)),
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
        const [tree, ...parents] = this.#git(name).git('show', '-s', '--format=%T %P', commit!).split(' ')
        return { sha: commit, tree: { sha: tree }, parents: parents.filter(Boolean).map((sha) => ({ sha })) }
      }),
    )
    this.#on('GET', '/git/trees/(\\w+)', ({ params: [commit] }, name) =>
      orNotFound(() => {
        const lines = this.#git(name).git('ls-tree', '-r', '-t', commit!).split('\n').filter(Boolean)
        const tree = lines.map((line) => {
          const [, mode, type, sha, path] = /^(\d+) (\w+) (\w+)\t(.*)$/.exec(line)!
          return { path, mode, type, sha }
        })
        return { tree, truncated: this.truncates }
      }),
    )
    this.#on('GET', '/compare/(.+)\\.\\.\\.(.+)', ({ params: [from, to] }, name) =>
      orNotFound(() => {
        const git = (...command: string[]) => this.#git(name).git(...command)
        const tipOf = (ref: string) => git('rev-parse', '--verify', `${ref}^{commit}`)
        const [a, b] = [tipOf(from!), tipOf(to!)]
        const base = git('merge-base', a, b)
        const status = a === b ? 'identical' : base === a ? 'ahead' : base === b ? 'behind' : 'diverged'
        return { status, merge_base_commit: { sha: base } }
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
      number: this.pulls.length + 1,
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
    this.#on('GET', '/commits/(\\w+)/check-runs', ({ params: [commit], query }) => {
      const wanted = query.get('check_name')
      const all = (this.checks.get(commit!) ?? []).filter((one) => !wanted || one.name === wanted)
      return { json: { total_count: all.length, check_runs: pageOf(all, query) } }
    })
    // Without any status it is pending, as at the real one.
    this.#on('GET', '/commits/(\\w+)/status', ({ params: [commit], query }) => {
      const statuses = this.statuses.get(commit!) ?? []
      return {
        json: { state: 'pending', total_count: statuses.length, statuses: pageOf(statuses, query) },
      }
    })
    this.#on('GET', '/commits/(\\w+)/check-suites', ({ params: [commit], query }) => {
      const all = this.suites.get(commit!) ?? []
      return { json: { total_count: all.length, check_suites: pageOf(all, query) } }
    })
    const isApp = (request: DoubleRequest) => this.#double.tokenOf(request)!.login.endsWith('[bot]')
    const notByToken = {
      status: 403,
      json: { message: 'You must authenticate via a GitHub App.' },
    }
    this.#on('POST', '/check-runs', (request) => {
      if (!isApp(request)) return notByToken
      const { head_sha: commit, ...rest } = request.body
      const made = { ...rest, id: this.#double.nextId() }
      this.checks.set(commit, [...(this.checks.get(commit) ?? []), made])
      return { status: 201, json: made }
    })
    this.#on('PATCH', '/check-runs/(\\d+)', (request) => {
      if (!isApp(request)) return notByToken
      const found = [...this.checks.values()].flat().find(({ id }) => `${id}` === request.params[0])
      return found ? { json: Object.assign(found, request.body) } : notFound
    })
    this.#on('POST', '/statuses/(\\w+)', ({ params: [commit], body }, name) => {
      if (!/^(error|failure|pending|success)$/.test(body.state)) return invalid('state is invalid')
      if (body.description?.length > 140)
        return invalid('description is too long (maximum is 140 characters)')
      if (this.#git(name).git('cat-file', '-t', commit!) !== 'commit')
        return invalid(`No commit found for SHA: ${commit}`)
      const all = this.statuses.get(commit!) ?? []
      this.statuses.set(commit!, [...all.filter(({ context }) => context !== body.context), body])
      return { status: 201, json: body }
    })
  }

  #serveReviews(): void {
    this.#on('GET', '/collaborators/([^/]+)/permission', ({ params: [login] }) => {
      const permission = this.permissions.get(login!)
      return permission
        ? { json: { permission, role_name: permission, user: { login } } }
        : { status: 404, json: { message: `${login} is not a user` } }
    })
    this.#on('GET', '/pulls/(\\d+)/reviews', ({ params: [number], query }, name) => {
      const pull = this.#find(name, number)
      if (!pull) return notFound
      return {
        json: pageOf(pull.reviews, query).map(({ id, login, association, state, body, commit }) => ({
          ...{ id, user: { login }, author_association: association, state, body },
          commit_id: commit ?? this.#tip(pull),
        })),
      }
    })
    this.#on('GET', '/pulls/(\\d+)/reviews/(\\d+)/comments', ({ params: [number, id] }, name) => ({
      json: this.#find(name, number)?.reviews.find((one) => `${one.id}` === id)?.comments ?? [],
    }))
  }

  /** The three documents that we send; others are refused, as a field that is not in the schema would be. */
  #serveGraphql(): void {
    const failed = (message: string) => ({
      json: { data: null, errors: [{ type: 'UNPROCESSABLE', message }] },
    })
    this.#double.on('POST', /^(?:\/api)?\/graphql$/, async ({ body: { query, variables } }) => {
      const byId = this.pulls.find(({ number }) => variables.id === `PR_${number}`)
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

  /** Narrowed to what was asked for, which the double of connections does not do. */
  #serveTokens(): void {
    this.#double.on(
      'POST',
      /^(?:\/api\/v3)?\/app\/installations\/(\d+)\/access_tokens$/,
      ({ params: [id], body }) => {
        const found = this.#double.app?.installations.find((one) => `${one.id}` === id)
        if (!found) return notFound
        const token = `ghs_${this.#double.nextId()}secret${this.#double.nextId()}`
        this.#double.addToken(token, { login: `${found.app_slug}[bot]`, scopes: null })
        this.scoped.set(token, {
          repositories: body?.repositories ?? null,
          contents: body?.permissions?.contents ?? found.permissions.contents ?? 'write',
        })
        const expires = new Date(Date.now() + 3_600_000).toISOString()
        return {
          status: 201,
          json: { token, expires_at: expires, permissions: body?.permissions ?? found.permissions },
        }
      },
    )
  }
}
