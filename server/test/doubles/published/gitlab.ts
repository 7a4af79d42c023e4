import type { Held } from './compile.ts'
import type { Exchange } from './exchange.ts'

/**
 * What is known of GitLab's REST API by name and type: Gitbeaker has it, which is written by hand after GitLab's
 * documentation. It leaves open what may be null, and names are camelCased on the way there. What it does not know yet,
 * or calls otherwise than GitLab does, is said here.
 */
export const gitlabPreamble = `import type * as GL from '@gitbeaker/rest'
type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }
type Whole<T> = T extends readonly (infer E)[] ? Whole<E>[]
  : T extends object ? { [K in keyof Named<T>]: Whole<Named<T>[K]> | null } : T
type Names<T> = T extends readonly (infer E)[] ? Names<E>[]
  : T extends object ? { [K in keyof Named<T>]?: Names<Named<T>[K]> | null } : T
type But<T, U> = Omit<T, keyof U> & U
type Words<T> = T extends number | boolean ? \`\${T}\` : T
type Query<T> = { [K in keyof T]: Words<T[K]> }
type Pages = { page?: number; perPage?: number }
type Message = { message: string | string[] | Record<string, string[]>; error_code?: string } | { error: string; scope?: string }
type GitlabIssue = But<Whole<GL.IssueSchema>, { moved_to_id: number | null }>
type GitlabLink = Whole<GL.IssueLinkSchema> & Names<Omit<Named<GL.IssueSchema>, 'moved_to_id'>> & { moved_to_id: number | null }
type Hook = Whole<GL.ExpandedHookSchema> & { project_id: number; signing_token_present?: boolean }
type HookOptions = GL.AddResourceHookOptions & { url: string; signingToken?: string }
type HookEvent = {
  id: number; url: string; trigger: string; request_headers: object; request_data: object; response_headers: object
  response_body: string; execution_duration: number; response_status: string; created_at: string
}
type Detailed = GL.MergeRequestSchema['detailed_merge_status'] | 'conflict' | 'need_rebase' | 'preparing'
  | 'requested_changes' | 'merge_request_blocked' | 'approvals_syncing' | 'merge_time' | 'status_checks_must_pass'
  | 'security_policy_pipeline_check' | 'locked_paths' | 'locked_lfs_files'
type Listed = But<Whole<GL.MergeRequestSchemaWithBasicLabels>, { detailed_merge_status: Detailed }>
type Request = But<Whole<GL.ExpandedMergeRequestSchema>, {
  detailed_merge_status: Detailed; labels: string[]; pipeline: Pipeline | null; head_pipeline: WholePipeline | null
}>
type Pipeline = Whole<GL.PipelineSchema> & { name: string | null }
type WholePipeline = Whole<GL.ExpandedPipelineSchema> & { name: string | null }
type Discussion = But<Whole<GL.DiscussionSchema>, { notes: DiscussionNote[] }>
type DiscussionNote = But<Whole<GL.MergeRequestDiscussionNoteSchema>, {
  position?: { base_sha: string; start_sha: string; head_sha: string; position_type: 'text'; old_path: string
    new_path: string; new_line: number | null; old_line: number | null } | null
  resolved?: boolean; resolved_by?: object | null; resolved_at?: string | null; project_id?: number
}>
type GitlabProject = But<Names<GL.ProjectSchema>, { archived: boolean }> & { merge_trains_enabled?: boolean }
type Verdict = GL.EditPipelineStatusOptions & { state: GL.CommitablePipelineStatus }
type Car = Names<GL.MergeTrainSchema> & { status: string }`

interface Endpoint {
  method: string
  path: RegExp
  answer: string
  query?: string
  body?: string
}

const project = '/projects/[^/]+'
const of = (
  method: string,
  path: string,
  answer: string,
  { query, body }: { query?: string; body?: string } = {},
): Endpoint => ({
  ...{ method, path: new RegExp(`^/api/v4${path}$`), answer },
  ...(query ? { query: `Query<${query}>` } : {}),
  ...(body ? { body } : {}),
})
const pages = { query: 'Pages' }

const endpoints: Endpoint[] = [
  of('GET', '/user', 'Names<GL.ExpandedUserSchema>'),
  of('GET', '/personal_access_tokens/self', 'Names<GL.PersonalAccessTokenSchema>'),
  of('GET', '/projects', 'Whole<GL.SimpleProjectSchema>[]', { query: 'GL.AllProjectsOptions & Pages' }),
  of('GET', project, 'GitlabProject'),
  of('GET', `${project}/labels`, 'Whole<GL.LabelSchema>[]', { query: 'Pages & { withCounts?: boolean }' }),
  of('GET', `${project}/members/all/\\d+`, 'Names<GL.SimpleMemberSchema>'),

  of('GET', `${project}/hooks`, 'Hook[]', pages),
  of('POST', `${project}/hooks`, 'Hook', { body: 'HookOptions' }),
  of('GET', `${project}/hooks/\\d+`, 'Hook'),
  of('PUT', `${project}/hooks/\\d+`, 'Hook', { body: 'HookOptions' }),
  of('POST', `${project}/hooks/\\d+/test/\\w+`, 'Message'),
  of('GET', `${project}/hooks/\\d+/events`, 'HookEvent[]', pages),
  of('POST', `${project}/hooks/\\d+/events/\\d+/resend`, '{ response_status: number }'),

  of('GET', `${project}/issues`, 'GitlabIssue[]', { query: 'GL.AllIssuesOptions & Pages' }),
  of('POST', `${project}/issues`, 'GitlabIssue', { body: 'GL.CreateIssueOptions & { title: string }' }),
  of('GET', `${project}/issues/\\d+`, 'GitlabIssue'),
  of('PUT', `${project}/issues/\\d+`, 'GitlabIssue', { body: 'GL.EditIssueOptions' }),
  of('GET', `${project}/issues/\\d+/links`, 'GitlabLink[]'),
  of('GET', `${project}/issues/\\d+/notes`, 'Whole<GL.IssueNoteSchema>[]', {
    query: "Pages & { sort?: 'asc' | 'desc'; orderBy?: 'created_at' | 'updated_at' }",
  }),
  of('POST', `${project}/issues/\\d+/notes`, 'Whole<GL.IssueNoteSchema>', { body: '{ body: string }' }),
  of('PUT', `${project}/issues/\\d+/notes/\\d+`, 'Whole<GL.IssueNoteSchema>', { body: '{ body: string }' }),

  of('GET', `${project}/merge_requests`, 'Listed[]', {
    query: "But<GL.AllMergeRequestsOptions, { state?: 'all' | GL.AllMergeRequestsOptions['state'] }> & Pages",
  }),
  of('POST', `${project}/merge_requests`, 'Request', {
    body: 'GL.CreateMergeRequestOptions & { title: string; sourceBranch: string; targetBranch: string }',
  }),
  of('GET', `${project}/merge_requests/\\d+`, 'Request'),
  of('PUT', `${project}/merge_requests/\\d+`, 'Request', { body: 'GL.EditMergeRequestOptions' }),
  of('PUT', `${project}/merge_requests/\\d+/merge`, 'Request', { body: 'GL.AcceptMergeRequestOptions' }),
  of(
    'GET',
    `${project}/merge_requests/\\d+/approvals`,
    'Whole<GL.MergeRequestLevelMergeRequestApprovalSchema>',
  ),
  of('GET', `${project}/merge_requests/\\d+/reviewers`, 'Whole<GL.MergeRequestReviewerSchema>[]', pages),
  of('GET', `${project}/merge_requests/\\d+/discussions`, 'Discussion[]', pages),
  of('GET', `${project}/merge_requests/\\d+/notes`, 'Whole<GL.MergeRequestNoteSchema>[]', {
    query: "Pages & { sort?: 'asc' | 'desc' }",
  }),
  of('GET', `${project}/merge_trains/merge_requests/\\d+`, 'Car'),
  of('POST', `${project}/merge_trains/merge_requests/\\d+`, 'Car[]', {
    body: '{ sha?: string; autoMerge?: boolean; squash?: boolean }',
  }),

  of('GET', `${project}/pipelines`, 'Pipeline[]', {
    query: 'GL.AllPipelinesOptions & Pages',
  }),
  of('GET', `${project}/pipelines/\\d+`, 'WholePipeline'),
  of('GET', `${project}/pipelines/\\d+/jobs`, 'Names<GL.JobSchema>[]', {
    query: 'Pages & { scope?: GL.JobScope }',
  }),
  of('POST', `${project}/statuses/\\w+`, 'Whole<GL.CommitStatusSchema>', { body: 'Verdict' }),

  of('GET', `${project}/repository/branches/[^/]+`, 'Whole<GL.BranchSchema>'),
  of('POST', `${project}/repository/branches`, 'Whole<GL.BranchSchema>', {
    body: '{ branch: string; ref: string }',
  }),
  of('DELETE', `${project}/repository/branches/[^/]+`, 'never'),
  of('GET', `${project}/repository/commits/\\w+`, 'Whole<GL.CommitSchema>'),
  of('POST', `${project}/repository/commits/\\w+/revert`, 'Whole<GL.CommitSchema>', {
    body: '{ branch: string }',
  }),
  of('GET', `${project}/repository/tree`, 'Whole<GL.RepositoryTreeSchema>[]', {
    query: 'GL.AllRepositoryTreesOptions & Pages',
  }),
  of('GET', `${project}/repository/merge_base`, 'Whole<GL.CommitSchema>', { query: '{ refs: string[] }' }),
  of('GET', `${project}/repository/compare`, 'Names<GL.RepositoryCompareSchema>', {
    query: '{ from: string; to: string; straight?: boolean }',
  }),
]

/** One exchange, as the values that the compiler is asked about. */
export function heldOfGitlab({ method, path, query, status, body, answer }: Exchange): Held[] {
  const what = `GitLab ${method} ${path.replace('/api/v4', '')} ${status}`
  const found = endpoints.find((one) => one.method === method && one.path.test(path))
  if (!found) return [{ what: `${what} is not known`, type: 'never', value: null }]
  const given = inWords(query)
  return [
    ...(answer === undefined
      ? []
      : [{ what: `${what} answer`, type: status < 300 ? found.answer : 'Message', value: answer }]),
    ...(body === undefined
      ? []
      : [{ what: `${what} body`, type: found.body ?? 'never', value: camelized(body) }]),
    ...(Object.keys(given).length > 0
      ? [{ what: `${what} query`, type: found.query ?? 'never', value: given }]
      : []),
  ]
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const camelized = (body: unknown) =>
  Object.fromEntries(Object.entries(body as object).map(([name, value]) => [camel(name), value]))

/** What is written `refs[]`, and more than once, is a list. */
const inWords = (query: URLSearchParams) =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const all = query.getAll(name)
      return [camel(name.replace('[]', '')), all.length > 1 ? all : all[0]]
    }),
  )
