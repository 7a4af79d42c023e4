/** What GitLab shows, whole: what is always there is, whether we read it or not. */

const longAgo = '2026-01-05T09:00:00.000Z'

/** The same number for the same name. */
const numberOf = (name: string) =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1_000_000, 7)

export const personOf = (url: string, username: string, id = numberOf(username)) => ({
  ...{ id, username, name: username, state: 'active', avatar_url: null, web_url: `${url}/${username}` },
})

export interface ShownProject {
  id: number
  path_with_namespace: string
  default_branch: string
}

export function projectOf(url: string, { id, path_with_namespace: full, default_branch }: ShownProject) {
  const [group, name] = [full.split('/').slice(0, -1).join('/'), full.split('/').at(-1)!]
  return {
    ...{ id, name, path: name, description: null, path_with_namespace: full, default_branch },
    ...{ name_with_namespace: full.replaceAll('/', ' / '), created_at: longAgo, last_activity_at: longAgo },
    ...{ topics: [], forks_count: 0, star_count: 0, avatar_url: null, readme_url: null },
    ...{ web_url: `${url}/${full}`, http_url_to_repo: `${url}/${full}.git` },
    ssh_url_to_repo: `git@127.0.0.1:${full}.git`,
    namespace: {
      ...{ id: numberOf(group), name: group, path: group, kind: 'group', full_path: group, parent_id: null },
      ...{ avatar_url: null, web_url: `${url}/groups/${group}` },
    },
  }
}

export const labelOf = (name: string) => ({
  ...{ id: numberOf(name), name, description: null, description_html: '', text_color: '#FFFFFF' },
  ...{ color: '#6699cc', subscribed: false, priority: null, is_project_label: true },
  ...{ open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 },
})

const timeStats = {
  ...{ time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
}

export interface ShownIssue {
  id: number
  iid: number
  project_id: number
  title: string
  description: string | null
  state: 'opened' | 'closed'
  labels: string[]
  author: { username: string }
  moved_to_id: number | null
  created_at: string
  updated_at: string
}

export function issueOf(url: string, path: string, notes: number, issue: ShownIssue) {
  const api = `${url}/api/v4/projects/${issue.project_id}`
  const self = `${api}/issues/${issue.iid}`
  return {
    ...{ ...issue, author: personOf(url, issue.author.username), milestone: null, assignees: [] },
    ...{ type: 'ISSUE', closed_at: issue.state === 'closed' ? issue.updated_at : null, closed_by: null },
    ...{ upvotes: 0, downvotes: 0, merge_requests_count: 0, user_notes_count: notes, due_date: null },
    references: { short: `#${issue.iid}`, relative: `#${issue.iid}`, full: `${path}#${issue.iid}` },
    ...{ time_stats: timeStats, has_tasks: false, task_status: '', confidential: false },
    ...{ discussion_locked: null, subscribed: false, web_url: `${url}/${path}/-/issues/${issue.iid}` },
    task_completion_status: { count: 0, completed_count: 0 },
    _links: { self, notes: `${self}/notes`, award_emoji: `${self}/award_emoji`, project: api },
  }
}

export const linkOf = (issue: ReturnType<typeof issueOf>, type: 'blocks' | 'is_blocked_by') => ({
  ...issue,
  ...{ issue_link_id: 1, link_type: type, link_created_at: longAgo, link_updated_at: longAgo },
})

export interface ShownNote {
  id: number
  body: string
  author: { username: string; id?: number }
  system?: boolean
}

export const noteOf = (
  url: string,
  on: { type: 'Issue' | 'MergeRequest'; id: number; iid: number; project: number },
  { id, body, author, system = false }: ShownNote,
) => ({
  ...{ id, body, system, author: personOf(url, author.username, author.id), attachment: null },
  ...{ created_at: longAgo, updated_at: longAgo, resolvable: false, project_id: on.project },
  ...{ noteable_id: on.id, noteable_type: on.type, noteable_iid: on.iid },
})

/** What was asked for, over what a hook is without it. */
export function hookOf(project: number, stored: Record<string, unknown>) {
  const { token: _, signing_token: signing, ...hook } = stored
  return {
    ...{ push_events: true, tag_push_events: false, merge_requests_events: false, issues_events: false },
    ...{ confidential_issues_events: false, note_events: false, confidential_note_events: false },
    ...{ job_events: false, pipeline_events: false, wiki_page_events: false, deployment_events: false },
    ...{ releases_events: false, repository_update_events: false, enable_ssl_verification: true },
    ...{ push_events_branch_filter: null, disabled_until: null, url_variables: [], created_at: longAgo },
    ...{ ...hook, project_id: project, signing_token_present: signing !== undefined },
  }
}

export interface ShownHookEvent {
  id: number
  created_at: string
  response_status: string
}

export const hookEventOf = (url: string, event: ShownHookEvent) => ({
  ...{ ...event, url, trigger: 'issue_hooks', request_headers: {}, request_data: {}, response_headers: {} },
  ...{ response_body: '', execution_duration: 0.2 },
})

export interface ShownPipeline {
  id: number
  sha: string
  ref: string
  source: string
  status: string
}

/** As a list shows it. */
export const pipelineOf = (project: string, projectId: number, shown: ShownPipeline) => ({
  ...{ ...shown, iid: shown.id, project_id: projectId, name: null, created_at: longAgo, updated_at: longAgo },
  web_url: `${project}/-/pipelines/${shown.id}`,
})

export const wholePipelineOf = (url: string, project: string, projectId: number, shown: ShownPipeline) => ({
  ...pipelineOf(project, projectId, shown),
  ...{ before_sha: '0'.repeat(40), tag: false, yaml_errors: null, user: personOf(url, 'ada') },
  ...{ started_at: longAgo, finished_at: null, committed_at: null, duration: null, queued_duration: 1 },
  coverage: null,
  detailed_status: {
    ...{ icon: `status_${shown.status}`, text: shown.status, label: shown.status, group: shown.status },
    ...{ tooltip: shown.status, has_details: true, details_path: `/-/pipelines/${shown.id}` },
    ...{ illustration: null, favicon: '/favicon.png' },
  },
})

export const jobOf = (
  id: number,
  { name, status, allow_failure }: { name: string; status: string; allow_failure: boolean },
) => ({
  ...{ id, name, status, allow_failure, stage: 'test', tag: false, coverage: null, created_at: longAgo },
  ...{ started_at: longAgo, finished_at: longAgo, artifacts: [] },
})

export interface ShownCommit {
  id: string
  parent_ids: string[]
  message: string
}

export const commitOf = (project: string, { id, parent_ids, message }: ShownCommit) => ({
  ...{ id, short_id: id.slice(0, 8), title: message.split('\n')[0]!, message, parent_ids },
  ...{ author_name: 'Ada', author_email: 'ada@example.com', committer_name: 'Ada' },
  ...{ committer_email: 'ada@example.com', authored_date: longAgo, committed_date: longAgo },
  ...{ created_at: longAgo, web_url: `${project}/-/commit/${id}` },
})

export function branchOf(project: string, name: string, commit: ShownCommit) {
  const { web_url: _, created_at: __, ...shown } = commitOf(project, commit)
  return {
    ...{ name, merged: false, protected: false, default: name === 'main', can_push: true, commit: shown },
    ...{ developers_can_push: false, developers_can_merge: false, web_url: `${project}/-/tree/${name}` },
  }
}

export interface ShownRequest {
  id: number
  iid: number
  projectId: number
  title: string
  description: string
  state: 'opened' | 'closed' | 'merged'
  sha: string
  source: string
  target: string
  startSha: string
  merge: { commit: string; at: string } | null
  autoMerge: boolean
  draft: boolean
  status: string
  reviewers: { username: string; id: number }[]
}

const mergeStatuses: Record<string, string> = {
  ...{ conflict: 'cannot_be_merged', checking: 'checking', unchecked: 'unchecked' },
}

/** As a list shows it. */
export function listedRequestOf(url: string, project: string, one: ShownRequest) {
  const short = `!${one.iid}`
  const conflicts = one.status === 'conflict'
  return {
    ...{
      id: one.id,
      iid: one.iid,
      project_id: one.projectId,
      title: one.title,
      description: one.description,
    },
    ...{ state: one.state, created_at: longAgo, updated_at: longAgo, draft: one.draft, sha: one.sha },
    ...{ web_url: `${url}/${project}/-/merge_requests/${one.iid}`, work_in_progress: one.draft },
    ...{ merged_by: one.merge ? personOf(url, 'ada') : null, merged_at: one.merge?.at ?? null },
    ...{ closed_by: null, closed_at: one.state === 'closed' ? longAgo : null, prepared_at: longAgo },
    ...{ source_branch: one.source, target_branch: one.target, author: personOf(url, 'signalbox') },
    ...{ source_project_id: one.projectId, target_project_id: one.projectId, labels: [], milestone: null },
    ...{ assignees: [], assignee: null, user_notes_count: 0, upvotes: 0, downvotes: 0 },
    reviewers: one.reviewers.map(({ username, id }) => personOf(url, username, id)),
    merge_when_pipeline_succeeds: one.autoMerge,
    merge_status: mergeStatuses[one.status] ?? 'can_be_merged',
    ...{ detailed_merge_status: one.status, has_conflicts: conflicts, squash: false },
    ...{ merge_commit_sha: one.merge?.commit ?? null, squash_commit_sha: null, discussion_locked: null },
    ...{ should_remove_source_branch: null, force_remove_source_branch: false, time_stats: timeStats },
    ...{ reference: short, references: { short, relative: short, full: `${project}${short}` } },
    task_completion_status: { count: 0, completed_count: 0 },
    ...{ blocking_discussions_resolved: true, approvals_before_merge: null },
  }
}

export const requestOf = (
  url: string,
  project: string,
  one: ShownRequest,
  pipeline: ShownPipeline | null,
) => ({
  ...listedRequestOf(url, project, one),
  ...{ subscribed: false, changes_count: '1', latest_build_started_at: null, latest_build_finished_at: null },
  ...{ first_deployed_to_production_at: null, merge_error: null, first_contribution: false },
  ...{ user: { can_merge: true }, rebase_in_progress: false },
  pipeline: pipeline && pipelineOf(`${url}/${project}`, one.projectId, pipeline),
  head_pipeline: pipeline && wholePipelineOf(url, `${url}/${project}`, one.projectId, pipeline),
  diff_refs: { base_sha: one.startSha, head_sha: one.sha, start_sha: one.startSha },
})
