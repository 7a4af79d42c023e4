import { BareRepository } from '../../../integrations/git-hosts/local/bare-repository.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from '../double.ts'
import { type GitBehind, serveGit } from '../git-server.ts'
import type { GitlabDouble } from '../gitlab.ts'

interface MergeRequest {
  iid: number
  project: string
  title: string
  description: string
  source: string
  target: string
  /** Where the target stood when it was opened. */
  startSha: string
  state: 'opened' | 'closed' | 'merged'
  endedAt: string | null
  merge: { commit: string; at: string } | null
  autoMerge: boolean
  draft: boolean
  inTrain: boolean
  discussions: { id: string; notes: Record<string, unknown>[] }[]
  reviewers: { user: { id: number; username: string }; state: string }[]
  approvedBy: string[]
  approvalsLeft: number
  /** What GitLab says of it whatever it would find out. */
  status: string | null
  notes: { system: boolean; body: string }[]
}

interface Pipeline {
  id: number
  sha: string
  ref: string
  source: string
  status: string
  /** Whose it is, where it tried a merge. */
  request?: number
  jobs: { name: string; status: string; allow_failure: boolean }[]
}

const missing = (what: string) => ({ status: 404, json: { message: `404 ${what} Not Found` } })

/** Merge requests, pipelines and statuses of the GitLab double, with real git behind them. */
export class GitlabMergeRequests {
  readonly all: MergeRequest[] = []
  readonly pipelines: Pipeline[] = []
  readonly statuses = new Map<
    string,
    { name: string; state: string; target_url: string; description: string }[]
  >()
  /** Who may push, by the number of the user. */
  readonly members = new Map<number, number>()
  rules = { trains: false, approval: false, squash: false }
  /** Merges this commit instead of the one that it was asked to merge. */
  swaps: string | null = null
  thinksFirst = false
  failsAfter: number | null = null
  readonly #repositories = new Map<string, GitBehind>()
  readonly #double: GitlabDouble
  readonly #thought = new Set<number>()

  constructor(double: GitlabDouble) {
    this.#double = double
    this.#serveRepository()
    this.#serveCommits()
    this.#serveMergeRequests()
    this.#serveTrains()
    this.#serveChecks()
    serveGit(double, this.#repositories, (password) => {
      const scopes = double.tokens.get(password)?.scopes
      if (!scopes) return null
      return scopes.includes('api') || scopes.includes('write_repository') ? 'write' : 'read'
    })
  }

  /** A project over there, and its git. */
  add(name: string, git: GitBehind): void {
    this.#double.addProject(name)
    this.#repositories.set(name, git)
  }

  pipeline(sha: string, ref: string, status: string, failed: string[] = []): void {
    const jobs = failed.map((name) => ({ name, status: 'failed', allow_failure: false }))
    this.pipelines.unshift({ id: this.#double.nextId(), sha, ref, source: 'push', status, jobs })
  }

  /** A pipeline of what a merge would come to: of a commit that is on no branch. */
  async mergedResults(iid: number, status: string, failed: string[] = []): Promise<void> {
    const one = this.all.find((each) => each.iid === iid)!
    const git = this.#git(one.project)
    const bare = new BareRepository(git.bare)
    const [tip, head] = [git.tip(one.target)!, this.#tip(one)]
    const joined = await bare.join(tip, head)
    if (!('tree' in joined)) throw new Error('It conflicts.')
    const sha = await bare.commit(joined.tree, [tip, head], 'Merge into main')
    this.pipeline(sha, `refs/merge-requests/${iid}/merge`, status, failed)
    Object.assign(this.pipelines[0]!, { source: 'merge_request_event', request: iid })
  }

  #headPipeline(one: MergeRequest) {
    const found = this.pipelines.find(({ sha, request }) => request === one.iid || sha === this.#tip(one))
    if (!found) return null
    const { jobs: _, request: __, ...shown } = found
    return shown
  }

  async mergeByHand(iid: number): Promise<void> {
    await this.#merge(this.all.find((one) => one.iid === iid)!)
  }

  closeByHand(iid: number): void {
    this.#close(this.all.find((one) => one.iid === iid)!)
  }

  #git = (name: string) => this.#repositories.get(name)!
  #tip = (one: MergeRequest) => one.endedAt ?? this.#git(one.project).tip(one.source)!

  #close(one: MergeRequest): void {
    Object.assign(one, { endedAt: this.#tip(one), state: 'closed' })
  }

  async #canMerge(one: MergeRequest): Promise<boolean> {
    const git = this.#git(one.project)
    return 'tree' in (await new BareRepository(git.bare).join(git.tip(one.target)!, this.#tip(one)))
  }

  async #merge(one: MergeRequest): Promise<void> {
    const git = this.#git(one.project)
    const bare = new BareRepository(git.bare)
    const [tip, head] = [git.tip(one.target)!, this.#tip(one)]
    const brought = this.swaps ?? head
    const joined = await bare.join(tip, brought)
    if (!('tree' in joined)) throw new Error('It conflicts.')
    const squashed = await bare.commit(await bare.treeOf(brought), [one.startSha], one.title)
    const parents = [tip, this.rules.squash ? squashed : brought]
    const commit = await bare.commit(joined.tree, parents, `Merge branch '${one.source}'`)
    await bare.move(one.target, commit, tip, 'merge')
    Object.assign(one, { state: 'merged', endedAt: head, inTrain: false })
    one.merge = { commit, at: new Date().toISOString() }
  }

  #shown(one: MergeRequest) {
    return {
      iid: one.iid,
      web_url: `${this.#double.url}/${one.project}/-/merge_requests/${one.iid}`,
      state: one.state,
      title: one.title,
      sha: this.#tip(one),
      source_branch: one.source,
      target_branch: one.target,
      merged_at: one.merge?.at ?? null,
      merge_commit_sha: one.merge?.commit ?? null,
      squash_commit_sha: null,
      merge_when_pipeline_succeeds: one.autoMerge,
      diff_refs: { start_sha: one.startSha },
    }
  }

  async #statusOf(one: MergeRequest): Promise<string> {
    if (one.state !== 'opened') return 'not_open'
    const thinks = this.thinksFirst && !this.#thought.has(one.iid)
    this.#thought.add(one.iid)
    if (thinks) return 'checking'
    if (one.status) return one.status
    if (one.draft) return 'draft_status'
    if (this.rules.approval) return 'not_approved'
    return (await this.#canMerge(one)) ? 'mergeable' : 'conflict'
  }

  #on(
    method: string,
    pattern: string,
    handler: (request: DoubleRequest, project: string) => DoubleAnswer | Promise<DoubleAnswer>,
  ): void {
    this.#double.on(method, new RegExp(`^/api/v4/projects/([^/]+)${pattern}$`), async (request) => {
      const [id, ...params] = request.params
      const project = this.#double.projectOf(id)?.path_with_namespace
      if (!project || !this.#repositories.has(project)) return missing('Project')
      if (method !== 'GET' && !this.#double.tokenOf(request)!.scopes.includes('api'))
        return { status: 403, json: { error: 'insufficient_scope', scope: 'api' } }
      const answer = await handler({ ...request, params }, project)
      const status = this.failsAfter
      if (method === 'GET' || status === null) return answer
      this.failsAfter = null
      return { status, text: 'Whoops, something went wrong on our end.' }
    })
  }

  #find(project: string, iid: string | undefined): MergeRequest | undefined {
    return this.all.find((one) => one.project === project && `${one.iid}` === iid)
  }

  #serveRepository(): void {
    this.#on('GET', '', (_, name) => ({
      json: {
        ...this.#double.rendered(this.#double.projectOf(name)!),
        archived: false,
        merge_trains_enabled: this.rules.trains,
        permissions: { project_access: { access_level: 40 }, group_access: null },
      },
    }))
    const branch = (name: string, branchName: string) => {
      const sha = this.#git(name).tip(branchName)
      const message = sha ? this.#git(name).git('show', '-s', '--format=%B', sha) : ''
      return sha ? { json: { name: branchName, commit: { id: sha, message } } } : missing('Branch')
    }
    this.#on('GET', '/repository/branches/([^/]+)', ({ params: [wanted] }, name) => branch(name, wanted!))
    this.#on('POST', '/repository/branches', async ({ body }, name) => {
      const git = this.#git(name)
      if (git.tip(body.branch)) return { status: 400, json: { message: 'Branch already exists' } }
      await new BareRepository(git.bare).move(body.branch, git.tip(body.ref)!, null, 'branch')
      return { ...branch(name, body.branch), status: 201 }
    })
    this.#on('DELETE', '/repository/branches/([^/]+)', ({ params: [wanted] }, name) => {
      if (!this.#git(name).tip(wanted!)) return missing('Branch')
      this.#git(name).git('update-ref', '-d', `refs/heads/${wanted}`)
      return { status: 204 }
    })
    this.#on('POST', '/repository/commits/(\\w+)/revert', async ({ params: [commit], body }, name) => {
      const git = this.#git(name)
      const bare = new BareRepository(git.bare)
      if (!(await bare.has(commit!))) return missing('Commit')
      const tip = git.tip(body.branch)
      if (!tip) return { status: 400, json: { message: 'Branch must exist' } }
      const [parent] = await bare.parentsOf(commit!)
      const without = await bare.without(commit!, parent!, tip)
      const isEmpty = 'tree' in without && without.tree === (await bare.treeOf(tip))
      if (!('tree' in without) || isEmpty)
        return {
          status: 400,
          json: {
            message: 'Sorry, we cannot revert this commit automatically.',
            error_code: isEmpty ? 'empty' : 'conflict',
          },
        }
      const message = `Revert "a change"\n\nThis reverts commit ${commit}`
      await bare.move(body.branch, await bare.commit(without.tree, [tip], message), tip, 'revert')
      return { status: 201, json: { id: git.tip(body.branch) } }
    })
    this.#on('GET', '/members/all/(\\d+)', ({ params: [id] }) => {
      const level = this.members.get(Number(id))
      return level ? { json: { id: Number(id), access_level: level } } : missing('Not found')
    })
  }

  #serveCommits(): void {
    const orMissing = (answer: () => unknown): DoubleAnswer => {
      try {
        return { json: answer() }
      } catch {
        return missing('Commit')
      }
    }
    this.#on('GET', '/repository/commits/(\\w+)', ({ params: [commit] }, name) =>
      orMissing(() => {
        const parents = this.#git(name).git('show', '-s', '--format=%P', commit!)
        return { id: commit, parent_ids: parents.split(' ').filter(Boolean) }
      }),
    )
    this.#on('GET', '/repository/tree', ({ query }, name) =>
      orMissing(() => {
        const lines = this.#git(name).git('ls-tree', query.get('ref')!).split('\n').filter(Boolean)
        const size = Number(query.get('per_page') ?? 20)
        const from = (Number(query.get('page') ?? 1) - 1) * size
        return lines.slice(from, from + size).map((line) => {
          const [, mode, type, id, entry] = /^(\d+) (\w+) (\w+)\t(.*)$/.exec(line)!
          return { id, name: entry, path: entry, type, mode }
        })
      }),
    )
    this.#on('GET', '/repository/merge_base', ({ query }, name) =>
      orMissing(() => ({ id: this.#git(name).git('merge-base', ...query.getAll('refs[]')) })),
    )
    this.#on('GET', '/repository/compare', ({ query }, name) =>
      orMissing(() => {
        const pair = [query.get('from')!, query.get('to')!]
        const paths = this.#git(name)
          .git('diff-tree', '-r', '--name-only', ...pair)
          .split('\n')
          .filter(Boolean)
        return { diffs: paths.map((one) => ({ old_path: one, new_path: one })), compare_timeout: false }
      }),
    )
  }

  #serveMergeRequests(): void {
    this.#on('GET', '/merge_requests', ({ query }, name) => {
      const state = query.get('state') ?? 'all'
      const found = this.all.filter(
        (one) =>
          one.project === name &&
          (state === 'all' || one.state === state) &&
          (!query.get('source_branch') || query.get('source_branch') === one.source) &&
          (!query.get('target_branch') || query.get('target_branch') === one.target),
      )
      return { json: found.toReversed().map((one) => this.#shown(one)) }
    })
    this.#on('POST', '/merge_requests', ({ body }, name) => {
      if (!this.#git(name).tip(body.source_branch))
        return { status: 400, json: { message: { source_branch: ['does not exist'] } } }
      const open = this.all.find(
        (one) => one.project === name && one.source === body.source_branch && one.state === 'opened',
      )
      if (open)
        return {
          status: 409,
          json: {
            message: [`Another open merge request already exists for this source branch: !${open.iid}`],
          },
        }
      const made: MergeRequest = {
        iid: this.all.length + 1,
        project: name,
        ...{ title: body.title, description: body.description ?? '' },
        ...{ source: body.source_branch, target: body.target_branch },
        startSha: this.#git(name).tip(body.target_branch)!,
        ...{ state: 'opened', endedAt: null, merge: null, autoMerge: false, draft: false, inTrain: false },
        ...{ discussions: [], notes: [], reviewers: [], approvedBy: [], approvalsLeft: 0, status: null },
      }
      this.all.push(made)
      return { status: 201, json: this.#shown(made) }
    })
    this.#on('GET', '/merge_requests/(\\d+)', async ({ params: [iid] }, name) => {
      const one = this.#find(name, iid)
      return one
        ? {
            json: {
              ...this.#shown(one),
              detailed_merge_status: await this.#statusOf(one),
              head_pipeline: this.#headPipeline(one),
            },
          }
        : missing('Not found')
    })
    this.#on('PUT', '/merge_requests/(\\d+)', ({ params: [iid], body }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      if (body.state_event === 'close') this.#close(one)
      return { json: this.#shown(one) }
    })
    this.#on('PUT', '/merge_requests/(\\d+)/merge', async ({ params: [iid], body }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      if (one.state !== 'opened' || one.draft)
        return { status: 405, json: { message: '405 Method Not Allowed' } }
      if (body.sha && body.sha !== this.#tip(one))
        return { status: 409, json: { message: 'SHA does not match HEAD of source branch' } }
      if (!(await this.#canMerge(one))) return { status: 422, json: { message: 'Branch cannot be merged' } }
      await this.#merge(one)
      return { json: this.#shown(one) }
    })
    this.#on('GET', '/merge_requests/(\\d+)/approvals', ({ params: [iid] }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      const required = one.approvedBy.length + one.approvalsLeft
      return {
        json: {
          ...{ approvals_required: required, approvals_left: one.approvalsLeft },
          approved_by: one.approvedBy.map((username) => ({ user: { username } })),
        },
      }
    })
    this.#on('GET', '/merge_requests/(\\d+)/reviewers', ({ params: [iid], query }, name) => {
      const one = this.#find(name, iid)
      return one ? { json: pageOf(one.reviewers, query, 20) } : missing('Not found')
    })
    this.#on('GET', '/merge_requests/(\\d+)/discussions', ({ params: [iid] }, name) => ({
      json: this.#find(name, iid)?.discussions ?? [],
    }))
    this.#on('GET', '/merge_requests/(\\d+)/notes', ({ params: [iid] }, name) => ({
      json: this.#find(name, iid)?.notes ?? [],
    }))
  }

  #serveTrains(): void {
    this.#on('GET', '/merge_trains/merge_requests/(\\d+)', ({ params: [iid] }, name) =>
      this.#find(name, iid)?.inTrain ? { json: { status: 'fresh' } } : missing('Not found'),
    )
    this.#on('POST', '/merge_trains/merge_requests/(\\d+)', ({ params: [iid], body }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      if (body.sha !== this.#tip(one))
        return { status: 409, json: { message: 'SHA does not match HEAD of source branch' } }
      one.inTrain = true
      return { status: 201, json: [{ status: 'fresh' }] }
    })
  }

  #serveChecks(): void {
    this.#on('GET', '/pipelines', ({ query }) => ({
      json: pageOf(
        this.pipelines.filter(
          ({ sha, ref }) => sha === query.get('sha') && (!query.get('ref') || query.get('ref') === ref),
        ),
        query,
        20,
      ),
    }))
    this.#on('GET', '/pipelines/(\\d+)', ({ params: [id] }) => {
      const found = this.pipelines.find((one) => `${one.id}` === id)
      return found ? { json: found } : missing('Pipeline')
    })
    this.#on('GET', '/pipelines/(\\d+)/jobs', ({ params: [id], query }) => ({
      json: pageOf(
        this.pipelines
          .find((one) => `${one.id}` === id)!
          .jobs.filter(({ status }) => status === query.get('scope[]')),
        query,
        20,
      ),
    }))
    this.#on('POST', '/statuses/(\\w+)', ({ params: [sha], body }) => {
      const all = this.statuses.get(sha!) ?? []
      const before = all.find(({ name }) => name === body.name)
      if (before?.state === body.state)
        return { status: 400, json: { message: 'Cannot transition status via :enqueue from :success' } }
      this.statuses.set(sha!, [...all.filter(({ name }) => name !== body.name), body])
      return { status: 201, json: body }
    })
  }
}
