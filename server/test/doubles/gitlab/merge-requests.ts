import { BareRepository } from '../../../integrations/git-hosts/local/bare-repository.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from '../double.ts'
import { type GitBehind, serveGit } from '../git-server.ts'
import type { GitlabDouble } from '../gitlab.ts'
import {
  branchOf,
  commitOf,
  jobOf,
  listedRequestOf,
  noteOf,
  personOf,
  pipelineOf,
  projectOf,
  requestOf,
  type ShownCommit,
  type ShownPipeline,
  type ShownRequest,
  wholePipelineOf,
} from '../gitlab-shapes.ts'

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

interface Pipeline extends ShownPipeline {
  /** Whose it is, where it tried a merge. */
  request?: number
  jobs: { name: string; status: string; allow_failure: boolean }[]
}

interface Author {
  username: string
  id?: number
}

/** A note on a line, as tests write it down. */
interface Noted {
  body: string
  author: Author
  system: boolean
  resolvable: boolean
  resolved: boolean
  position: { new_path: string; new_line: number; head_sha: string }
}

const longAgo = '2026-01-05T09:00:00.000Z'

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
  readonly #thought = new Set<MergeRequest>()
  readonly #commits = new Map<string, ShownCommit>()

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
    return this.#plain(found)
  }

  #plain({ jobs: _, request: __, ...shown }: Pipeline): ShownPipeline {
    return shown
  }

  async mergeByHand(iid: number, project?: string): Promise<void> {
    await this.#merge(this.#byNumber(iid, project))
  }

  closeByHand(iid: number, project?: string): void {
    this.#close(this.#byNumber(iid, project))
  }

  #byNumber(iid: number, project = this.all[0]?.project): MergeRequest {
    return this.all.find((one) => one.iid === iid && one.project === project)!
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

  #web = (project: string) => `${this.#double.url}/${project}`
  #id = (project: string) => this.#double.projectOf(project)!.id

  async #shownOf(one: MergeRequest, isLook = false): Promise<ShownRequest> {
    const { iid, title, description, state, source, target, startSha, merge, autoMerge, draft } = one
    return {
      ...{
        id: 5_000 + iid,
        iid,
        projectId: this.#id(one.project),
        title,
        description,
        state,
        source,
        target,
      },
      ...{
        startSha,
        merge,
        autoMerge,
        draft,
        sha: this.#tip(one),
        status: await this.#statusOf(one, isLook),
      },
      reviewers: one.reviewers.map(({ user }) => user),
    }
  }

  #listed = async (one: MergeRequest) =>
    listedRequestOf(this.#double.url, one.project, await this.#shownOf(one))

  #shown = async (one: MergeRequest, isLook = false) =>
    requestOf(this.#double.url, one.project, await this.#shownOf(one, isLook), this.#headPipeline(one))

  /** A commit never changes, and each git command is a process. */
  #commit(name: string, commit: string): ShownCommit {
    const known = this.#commits.get(`${name} ${commit}`)
    if (known) return known
    const said = this.#git(name).git('show', '-s', '--format=%H%n%P%n%B', commit)
    const [id, parents, ...message] = said.split('\n') as [string, string]
    const made = { id, parent_ids: parents.split(' ').filter(Boolean), message: message.join('\n').trim() }
    this.#commits.set(`${name} ${id}`, made)
    return made
  }

  /** GitLab works it out when this one is looked at, not in a list. */
  async #statusOf(one: MergeRequest, isLook: boolean): Promise<string> {
    if (one.state !== 'opened') return 'not_open'
    if (!isLook) return 'unchecked'
    const thinks = this.thinksFirst && !this.#thought.has(one)
    this.#thought.add(one)
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
        ...projectOf(this.#double.url, this.#double.projectOf(name)!),
        archived: false,
        merge_trains_enabled: this.rules.trains,
        permissions: {
          project_access: { access_level: this.#double.projectOf(name)!.access, notification_level: 3 },
          group_access: null,
        },
      },
    }))
    const branch = (name: string, branchName: string) => {
      const sha = this.#git(name).tip(branchName)
      return sha
        ? { json: branchOf(this.#web(name), branchName, this.#commit(name, sha)) }
        : missing('Branch')
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
      return { status: 201, json: commitOf(this.#web(name), this.#commit(name, git.tip(body.branch)!)) }
    })
    this.#on('GET', '/members/all/(\\d+)', ({ params: [id] }) => {
      const level = this.members.get(Number(id))
      if (!level) return missing('Not found')
      const person = personOf(this.#double.url, `user${id}`, Number(id))
      return { json: { ...person, access_level: level, expires_at: null } }
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
        return commitOf(this.#web(name), this.#commit(name, commit!))
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
      orMissing(() => {
        const found = this.#git(name).git('merge-base', ...query.getAll('refs[]'))
        return commitOf(this.#web(name), this.#commit(name, found))
      }),
    )
    this.#on('GET', '/repository/compare', ({ query }, name) =>
      orMissing(() => {
        const pair = [query.get('from')!, query.get('to')!]
        const paths = this.#git(name)
          .git('diff-tree', '-r', '--name-only', ...pair)
          .split('\n')
          .filter(Boolean)
        const { id, short_id, title, author_name, author_email, created_at } = commitOf(
          this.#web(name),
          this.#commit(name, pair[1]!),
        )
        const commit = { id, short_id, title, author_name, author_email, created_at }
        return {
          ...{ commit, commits: [commit], compare_timeout: false, compare_same_ref: pair[0] === pair[1] },
          diffs: paths.map((one) => ({
            ...{ old_path: one, new_path: one, a_mode: '100644', b_mode: '100644', diff: '' },
            ...{ new_file: false, renamed_file: false, deleted_file: false },
          })),
        }
      }),
    )
  }

  #serveMergeRequests(): void {
    this.#on('GET', '/merge_requests', async ({ query }, name) => {
      const state = query.get('state') ?? 'all'
      const found = this.all.filter(
        (one) =>
          one.project === name &&
          (state === 'all' || one.state === state) &&
          (!query.get('source_branch') || query.get('source_branch') === one.source) &&
          (!query.get('target_branch') || query.get('target_branch') === one.target),
      )
      return { json: await Promise.all(pageOf(found.toReversed(), query, 20).map(this.#listed)) }
    })
    this.#on('POST', '/merge_requests', async ({ body }, name) => {
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
        iid: this.all.filter((one) => one.project === name).length + 1,
        project: name,
        ...{ title: body.title, description: body.description ?? '' },
        ...{ source: body.source_branch, target: body.target_branch },
        startSha: this.#git(name).tip(body.target_branch)!,
        ...{ state: 'opened', endedAt: null, merge: null, autoMerge: false, draft: false, inTrain: false },
        ...{ discussions: [], notes: [], reviewers: [], approvedBy: [], approvalsLeft: 0, status: null },
      }
      this.all.push(made)
      return { status: 201, json: await this.#shown(made) }
    })
    this.#on('GET', '/merge_requests/(\\d+)', async ({ params: [iid] }, name) => {
      const one = this.#find(name, iid)
      return one ? { json: await this.#shown(one, true) } : missing('Not found')
    })
    this.#on('PUT', '/merge_requests/(\\d+)', async ({ params: [iid], body }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      if (body.description !== undefined) one.description = body.description
      if (body.state_event === 'close') this.#close(one)
      return { json: await this.#shown(one) }
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
      return { json: await this.#shown(one) }
    })
    this.#on('GET', '/merge_requests/(\\d+)/approvals', async ({ params: [iid] }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      const required = one.approvedBy.length + one.approvalsLeft
      const { id, project_id, title, description, state, created_at, updated_at, merge_status } =
        await this.#listed(one)
      return {
        json: {
          ...{
            id,
            iid: one.iid,
            project_id,
            title,
            description,
            state,
            created_at,
            updated_at,
            merge_status,
          },
          ...{ approvals_required: required, approvals_left: one.approvalsLeft },
          approved_by: one.approvedBy.map((username) => ({ user: personOf(this.#double.url, username) })),
        },
      }
    })
    this.#on('GET', '/merge_requests/(\\d+)/reviewers', ({ params: [iid], query }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      return {
        json: pageOf(one.reviewers, query, 20).map(({ user, state }) => ({
          ...{ user: personOf(this.#double.url, user.username, user.id), state, created_at: longAgo },
        })),
      }
    })
    this.#on('GET', '/merge_requests/(\\d+)/discussions', ({ params: [iid] }, name) => ({
      json: (this.#find(name, iid)?.discussions ?? []).map((one) => this.#discussed(name, Number(iid), one)),
    }))
    this.#on('GET', '/merge_requests/(\\d+)/notes', ({ params: [iid] }, name) => ({
      json: (this.#find(name, iid)?.notes ?? []).map((note) => this.#note(name, Number(iid), note)),
    }))
  }

  #note(name: string, iid: number, note: { system?: boolean; body: string; author?: Author }) {
    const on = { type: 'MergeRequest' as const, id: 5_000 + iid, iid, project: this.#id(name) }
    const { body, system = false, author = { username: 'ada' } } = note
    return noteOf(this.#double.url, on, { id: this.#double.nextId(), body, system, author })
  }

  #discussed(name: string, iid: number, { id, notes }: MergeRequest['discussions'][number]) {
    const shown = notes.map((note) => {
      const { resolvable, resolved, position, ...rest } = note as unknown as Noted
      return {
        ...{ ...this.#note(name, iid, rest), type: 'DiffNote', resolvable, resolved },
        ...{ resolved_by: null, resolved_at: null },
        position: {
          ...{ base_sha: position.head_sha, start_sha: position.head_sha, position_type: 'text' },
          ...{ old_path: position.new_path, old_line: null, ...position },
        },
      }
    })
    return { id, individual_note: false, notes: shown }
  }

  #car = (id: number) => ({
    ...{ id, status: 'fresh', target_branch: 'main', created_at: longAgo, updated_at: longAgo },
    ...{ merged_at: null, duration: null, user: personOf(this.#double.url, 'signalbox') },
  })

  #serveTrains(): void {
    this.#on('GET', '/merge_trains/merge_requests/(\\d+)', ({ params: [iid] }, name) =>
      this.#find(name, iid)?.inTrain ? { json: this.#car(1) } : missing('Not found'),
    )
    this.#on('POST', '/merge_trains/merge_requests/(\\d+)', ({ params: [iid], body }, name) => {
      const one = this.#find(name, iid)
      if (!one) return missing('Not found')
      if (body.sha !== this.#tip(one))
        return { status: 409, json: { message: 'SHA does not match HEAD of source branch' } }
      one.inTrain = true
      return { status: 201, json: [this.#car(1)] }
    })
  }

  #serveChecks(): void {
    this.#on('GET', '/pipelines', ({ query }, name) => {
      const found = this.pipelines.filter(
        ({ sha, ref }) => sha === query.get('sha') && (!query.get('ref') || query.get('ref') === ref),
      )
      const shown = (one: Pipeline) => pipelineOf(this.#web(name), this.#id(name), this.#plain(one))
      return { json: pageOf(found, query, 20).map(shown) }
    })
    this.#on('GET', '/pipelines/(\\d+)', ({ params: [id] }, name) => {
      const found = this.pipelines.find((one) => `${one.id}` === id)
      if (!found) return missing('Pipeline')
      const [{ url }, web] = [this.#double, this.#web(name)]
      return { json: wholePipelineOf(url, web, this.#id(name), this.#plain(found)) }
    })
    this.#on('GET', '/pipelines/(\\d+)/jobs', ({ params: [id], query }) => ({
      json: pageOf(
        this.pipelines
          .find((one) => `${one.id}` === id)!
          .jobs.filter(({ status }) => status === query.get('scope[]')),
        query,
        20,
      ).map((job, place) => jobOf(place + 1, job)),
    }))
    this.#on('POST', '/statuses/(\\w+)', (request) => {
      const {
        params: [sha],
        body,
      } = request
      const all = this.statuses.get(sha!) ?? []
      const before = all.find(({ name }) => name === body.name)
      if (before?.state === body.state)
        return { status: 400, json: { message: 'Cannot transition status via :enqueue from :success' } }
      this.statuses.set(sha!, [...all.filter(({ name }) => name !== body.name), body])
      const { username } = this.#double.tokenOf(request)!
      const { state, name, target_url, description } = body
      return {
        status: 201,
        json: {
          ...{ id: this.#double.nextId(), sha, ref: 'main', status: state, name, target_url, description },
          ...{ created_at: longAgo, started_at: null, finished_at: longAgo, allow_failure: false },
          author: personOf(this.#double.url, username),
        },
      }
    })
  }
}
