import type { components } from '@octokit/openapi-types'

/** Everything that GitHub shows, whole: what its description calls required is there, whether we read it or not. */

type Schemas = components['schemas']

/** Before anything happened here. */
const longAgo = '2026-01-05T09:00:00Z'

const urlsOf = <const N extends string>(base: string, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [`${name}_url`, `${base}/${name}`])) as Record<`${N}_url`, string>

const userUrls = [
  ...(['followers', 'following', 'gists', 'starred', 'subscriptions', 'organizations', 'repos'] as const),
  ...(['events', 'received_events'] as const),
] as const

/** The same number for the same name. */
const numberOf = (name: string) =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1_000_000, 7)

export function userOf(url: string, login: string): Schemas['simple-user'] {
  const id = numberOf(login)
  return {
    ...{ login, id, node_id: `U_${id}`, avatar_url: `${url}/avatars/u/${id}`, gravatar_id: '' },
    ...{ url: `${url}/users/${login}`, html_url: `${url}/${login}` },
    ...urlsOf(`${url}/users/${login}`, userUrls),
    ...{ type: login.endsWith('[bot]') ? 'Bot' : 'User', site_admin: false },
  }
}

/** Whose token it is. */
export const ownUser = (url: string, login: string): Schemas['public-user'] => ({
  ...userOf(url, login),
  ...{ name: login, company: null, blog: '', location: null, email: null, hireable: null, bio: null },
  ...{ public_repos: 1, public_gists: 0, followers: 0, following: 0 },
  ...{ created_at: longAgo, updated_at: longAgo },
})

const repositoryUrls = [
  ...(['archive', 'assignees', 'blobs', 'branches', 'collaborators', 'comments', 'commits'] as const),
  ...(['compare', 'contents', 'contributors', 'deployments', 'downloads', 'events', 'forks'] as const),
  ...(['git_commits', 'git_refs', 'git_tags', 'issue_comment', 'issue_events', 'issues', 'keys'] as const),
  ...(['labels', 'languages', 'merges', 'milestones', 'notifications', 'pulls', 'releases'] as const),
  ...(['stargazers', 'statuses', 'subscribers', 'subscription', 'tags', 'teams', 'trees', 'hooks'] as const),
] as const

export interface ShownRepository {
  id: number
  full_name: string
  default_branch: string
  has_issues: boolean
  archived?: boolean
}

/** What a repository is in any list. */
export function minimalOf(url: string, { id, full_name: full }: Pick<ShownRepository, 'id' | 'full_name'>) {
  const [owner, name] = full.split('/') as [string, string]
  const api = `${url}/repos/${full}`
  return {
    ...{ id, node_id: `R_${id}`, name, full_name: full, owner: userOf(url, owner), private: true },
    ...{ html_url: `${url}/${full}`, description: null, fork: false, url: api },
    ...urlsOf(api, repositoryUrls),
  } satisfies Schemas['minimal-repository']
}

export function repositoryOf(url: string, shown: ShownRepository, push = true) {
  const web = `${url}/${shown.full_name}`
  return {
    ...minimalOf(url, shown),
    ...{ git_url: `git://127.0.0.1/${shown.full_name}.git`, ssh_url: `git@127.0.0.1:${shown.full_name}.git` },
    ...{ clone_url: `${web}.git`, svn_url: web, mirror_url: null, homepage: null, language: null },
    ...{ forks_count: 0, stargazers_count: 0, watchers_count: 0, size: 1, open_issues_count: 0 },
    ...{ default_branch: shown.default_branch, has_issues: shown.has_issues, has_projects: true },
    ...{ has_wiki: false, has_pages: false, has_downloads: true, has_discussions: false },
    ...{ archived: shown.archived ?? false, disabled: false, license: null },
    ...{ pushed_at: longAgo, created_at: longAgo, updated_at: longAgo },
    ...{ permissions: { admin: false, push, pull: true }, forks: 0, open_issues: 0, watchers: 0 },
  } satisfies Schemas['repository']
}

/** Alone it says more about itself. */
export const wholeRepositoryOf = (
  url: string,
  shown: ShownRepository,
  { merge, squash, push }: { merge: boolean; squash: boolean; push: boolean },
): Schemas['full-repository'] => ({
  ...repositoryOf(url, shown, push),
  ...{ subscribers_count: 0, network_count: 0, allow_merge_commit: merge, allow_squash_merge: squash },
})

export const labelOf = (api: string, name: string): Schemas['label'] => ({
  ...{
    id: numberOf(name),
    node_id: `LA_${numberOf(name)}`,
    url: `${api}/labels/${encodeURIComponent(name)}`,
  },
  ...{ name, description: null, color: 'ededed', default: name === 'bug' },
})

export interface ShownIssue {
  id: number
  number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  state_reason: 'completed' | 'reopened' | 'not_planned' | 'duplicate' | null
  labels: string[]
  login: string
  created_at: string
  updated_at: string
  closed_at: string | null
  comments: number
  isPull: boolean
  summary: Schemas['issue-dependencies-summary']
}

export function issueOf(url: string, repository: string, shown: ShownIssue): Schemas['issue'] {
  const { labels, login, summary, isPull, ...issue } = shown
  const api = `${url}/repos/${repository}`
  const web = `${url}/${repository}/${isPull ? 'pull' : 'issues'}/${issue.number}`
  return {
    ...issue,
    ...{ node_id: `I_${issue.id}`, url: `${api}/issues/${issue.number}`, repository_url: api, html_url: web },
    ...urlsOf(`${api}/issues/${issue.number}`, ['labels', 'comments', 'events', 'timeline']),
    ...{ user: userOf(url, login), labels: labels.map((name) => labelOf(api, name)) },
    ...{ assignee: null, assignees: [], milestone: null, locked: false, author_association: 'MEMBER' },
    ...(isPull
      ? { pull_request: { url: web, html_url: web, diff_url: `${web}.diff`, patch_url: `${web}.patch` } }
      : {}),
    issue_dependencies_summary: summary,
  }
}

export const commentOf = (
  url: string,
  issue: string,
  { id, body, login, at }: { id: number; body: string; login: string; at: string },
): Schemas['issue-comment'] => ({
  ...{ id, node_id: `IC_${id}`, body, user: userOf(url, login), issue_url: issue },
  ...{ url: `${issue}/comments/${id}`, html_url: `${issue}#issuecomment-${id}` },
  ...{ created_at: at, updated_at: at, author_association: 'MEMBER' },
})

export interface ShownPull {
  /** Of all repositories, as the ids of GraphQL are. */
  id: number
  number: number
  title: string
  body: string
  state: 'open' | 'closed'
  draft: boolean
  head: { ref: string; sha: string }
  base: { ref: string; sha: string }
  merge: { commit: string; at: string } | null
  isAutoMerged: boolean
}

/** As a list shows it. */
export function listedPullOf(url: string, of: ShownRepository, pull: ShownPull) {
  const api = `${url}/repos/${of.full_name}`
  const [self, web] = [`${api}/pulls/${pull.number}`, `${url}/${of.full_name}/pull/${pull.number}`]
  const user = userOf(url, 'signalbox-bot')
  const side = ({ ref, sha }: { ref: string; sha: string }) => {
    const owner = of.full_name.split('/')[0]!
    return { label: `${owner}:${ref}`, ref, sha, user: userOf(url, owner), repo: repositoryOf(url, of) }
  }
  const urls = {
    comments_url: `${api}/issues/${pull.number}/comments`,
    commits_url: `${self}/commits`,
    statuses_url: `${api}/statuses/${pull.head.sha}`,
    issue_url: `${api}/issues/${pull.number}`,
    review_comments_url: `${self}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
  }
  const link = (href: string) => ({ href })
  return {
    ...{ url: self, id: 90_000 + pull.id, node_id: `PR_${pull.id}`, html_url: web },
    ...{ diff_url: `${web}.diff`, patch_url: `${web}.patch`, ...urls },
    ...{ number: pull.number, state: pull.state, locked: false, title: pull.title, user, body: pull.body },
    ...{ labels: [], milestone: null, assignee: null, created_at: longAgo, updated_at: longAgo },
    closed_at: pull.merge?.at ?? (pull.state === 'closed' ? longAgo : null),
    ...{ merged_at: pull.merge?.at ?? null, merge_commit_sha: pull.merge?.commit ?? null },
    ...{ head: side(pull.head), base: side(pull.base), draft: pull.draft, author_association: 'MEMBER' },
    auto_merge: pull.isAutoMerged
      ? { enabled_by: user, merge_method: 'merge', commit_title: '', commit_message: '' }
      : null,
    _links: {
      ...{
        self: link(self),
        html: link(web),
        issue: link(urls.issue_url),
        comments: link(urls.comments_url),
      },
      ...{ review_comments: link(urls.review_comments_url), review_comment: link(urls.review_comment_url) },
      ...{ commits: link(urls.commits_url), statuses: link(urls.statuses_url) },
    },
  } satisfies Schemas['pull-request-simple']
}

/** Alone it also says whether it can be merged. */
export const pullOf = (
  url: string,
  of: ShownRepository,
  pull: ShownPull,
  mergeable: boolean | null,
): Schemas['pull-request'] => ({
  ...listedPullOf(url, of, pull),
  ...{ merged: pull.merge !== null, merged_by: pull.merge ? userOf(url, 'ada') : null, mergeable },
  mergeable_state: mergeable === null ? 'unknown' : mergeable ? 'clean' : 'dirty',
  ...{ comments: 0, review_comments: 0, maintainer_can_modify: false },
  ...{ commits: 1, additions: 1, deletions: 0, changed_files: 1 },
})

export interface ShownHook {
  id: number
  active: boolean
  events: string[]
  config: Record<string, string>
}

export function hookOf(url: string, repository: string, hook: ShownHook): Schemas['hook'] {
  const self = `${url}/repos/${repository}/hooks/${hook.id}`
  return {
    ...{ ...hook, type: 'Repository', name: 'web', config: { ...hook.config, secret: '********' } },
    ...{
      url: self,
      test_url: `${self}/test`,
      ping_url: `${self}/pings`,
      deliveries_url: `${self}/deliveries`,
    },
    ...{ created_at: longAgo, updated_at: longAgo },
    last_response: { code: null, status: 'unused', message: null },
  }
}

/** What was sent to a hook, and what came back. */
export interface ShownDelivery {
  id: number
  guid: string
  delivered_at: string
  redelivery: boolean
  event: string
  status: string
  status_code: number
}

export const deliveryOf = (shown: ShownDelivery): Schemas['hook-delivery-item'] => ({
  ...shown,
  ...{ duration: 0.2, action: null, installation_id: null, repository_id: null },
})

export function integrationOf(url: string, slug: string): NonNullable<Schemas['integration']> {
  const id = numberOf(slug)
  return {
    ...{ id, slug, node_id: `A_${id}`, owner: userOf(url, 'acme'), name: slug, description: null },
    ...{ external_url: url, html_url: `${url}/apps/${slug}`, created_at: longAgo, updated_at: longAgo },
    ...{ permissions: { checks: 'write' }, events: [] },
  }
}

export interface ShownInstallation {
  id: number
  app_slug: string
  permissions: Record<string, string>
}

export const installationOf = (
  url: string,
  appId: string,
  { id, app_slug: slug, permissions }: ShownInstallation,
): Schemas['installation'] => ({
  ...{ id, account: userOf(url, 'acme'), repository_selection: 'all', app_id: Number(appId), app_slug: slug },
  ...{ access_tokens_url: `${url}/app/installations/${id}/access_tokens`, html_url: `${url}/apps/${slug}` },
  ...{ repositories_url: `${url}/installation/repositories`, target_id: 1, target_type: 'Organization' },
  ...{ permissions, events: [], created_at: longAgo, updated_at: longAgo, single_file_name: null },
  ...{ suspended_by: null, suspended_at: null },
})

export interface ShownCheck {
  id: number
  commit: string
  name: string
  status: Schemas['check-run']['status']
  conclusion: Schemas['check-run']['conclusion']
  external_id: string | null
  details_url: string | null
  output: { title: string | null; summary: string | null }
}

export function checkOf(url: string, repository: string, { commit, output, ...check }: ShownCheck) {
  const self = `${url}/repos/${repository}/check-runs/${check.id}`
  return {
    ...{ ...check, head_sha: commit, node_id: `CR_${check.id}`, url: self },
    html_url: `${url}/${repository}/runs/${check.id}`,
    ...{ started_at: longAgo, completed_at: check.status === 'completed' ? longAgo : null },
    output: { ...output, text: null, annotations_count: 0, annotations_url: `${self}/annotations` },
    ...{ check_suite: { id: check.id }, app: integrationOf(url, 'build-tool'), pull_requests: [] },
  } satisfies Schemas['check-run']
}

export interface ShownSuite {
  id: number
  status: Schemas['check-suite']['status']
  conclusion: Schemas['check-suite']['conclusion']
  created_at: string | null
  latest_check_runs_count: number
  app: { slug: string; name: string } | null
}

export function suiteOf(
  url: string,
  of: ShownRepository,
  commit: string,
  { app, ...suite }: ShownSuite,
): Schemas['check-suite'] {
  const self = `${url}/repos/${of.full_name}/check-suites/${suite.id}`
  return {
    ...{ ...suite, node_id: `CS_${suite.id}`, head_branch: null, head_sha: commit, url: self },
    ...{ before: null, after: commit, pull_requests: [], updated_at: suite.created_at },
    app: app && { ...integrationOf(url, app.slug), name: app.name },
    ...{ repository: minimalOf(url, of), check_runs_url: `${self}/check-runs` },
    head_commit: {
      ...{ id: commit, tree_id: commit, message: '', timestamp: longAgo, author: person, committer: person },
    },
  }
}

const person = { name: 'Ada', email: 'ada@example.com' }
const signed = { ...person, date: longAgo }

export interface ShownStatus {
  context: string
  state: string
  target_url: string
  description: string
}

export const listedStatusOf = (url: string, { ...shown }: ShownStatus) => {
  const id = numberOf(shown.context)
  return {
    ...{ ...shown, id, node_id: `SC_${id}`, avatar_url: null, url: `${url}/statuses/${id}` },
    ...{ created_at: longAgo, updated_at: longAgo },
  } satisfies Schemas['simple-commit-status']
}

export const statusOf = (url: string, login: string, shown: ShownStatus): Schemas['status'] => ({
  ...listedStatusOf(url, shown),
  creator: userOf(url, login),
})

export const combinedOf = (
  url: string,
  of: ShownRepository,
  commit: string,
  { statuses, total }: { statuses: ShownStatus[]; total: number },
): Schemas['combined-commit-status'] => ({
  // Without any status it is pending, as at the real one.
  ...{ state: 'pending', sha: commit, total_count: total, repository: minimalOf(url, of) },
  statuses: statuses.map((one) => listedStatusOf(url, one)),
  commit_url: `${url}/repos/${of.full_name}/commits/${commit}`,
  url: `${url}/repos/${of.full_name}/commits/${commit}/status`,
})

export interface ShownCommit {
  sha: string
  tree: string
  parents: string[]
  message: string
}

export function gitCommitOf(url: string, repository: string, shown: ShownCommit): Schemas['git-commit'] {
  const at = (kind: string, sha: string) => `${url}/repos/${repository}/git/${kind}/${sha}`
  const web = (sha: string) => `${url}/${repository}/commit/${sha}`
  const { sha, tree, parents, message } = shown
  return {
    ...{ sha, node_id: `C_${sha}`, url: at('commits', sha), html_url: web(sha), message },
    ...{ author: signed, committer: signed, tree: { sha: tree, url: at('trees', tree) } },
    parents: parents.map((one) => ({ sha: one, url: at('commits', one), html_url: web(one) })),
    verification: {
      ...{ verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    },
  }
}

export function commitOf(url: string, repository: string, shown: ShownCommit): Schemas['commit'] {
  const api = `${url}/repos/${repository}/commits/${shown.sha}`
  const { sha, node_id, html_url, message, tree, author, committer, parents } = gitCommitOf(
    url,
    repository,
    shown,
  )
  return {
    ...{ url: api, sha, node_id, html_url, comments_url: `${api}/comments`, author: null, committer: null },
    ...{ parents, commit: { url: api, author, committer, message, comment_count: 0, tree } },
  }
}

export function branchOf(
  url: string,
  repository: string,
  name: string,
  commit: ShownCommit,
): Schemas['branch-with-protection'] {
  const api = `${url}/repos/${repository}/branches/${encodeURIComponent(name)}`
  return {
    ...{ name, commit: commitOf(url, repository, commit), protected: false },
    ...{ _links: { html: `${url}/${repository}/tree/${name}`, self: api } },
    ...{ protection: { enabled: false }, protection_url: `${api}/protection` },
  }
}

export function comparisonOf(
  url: string,
  repository: string,
  shown: {
    pair: string
    status: Schemas['commit-comparison']['status']
    base: ShownCommit
    mergeBase: ShownCommit
    ahead: number
    behind: number
  },
): Schemas['commit-comparison'] {
  const web = `${url}/${repository}/compare/${shown.pair}`
  return {
    ...{ url: `${url}/repos/${repository}/compare/${shown.pair}`, html_url: web, permalink_url: web },
    ...{ diff_url: `${web}.diff`, patch_url: `${web}.patch`, status: shown.status },
    base_commit: commitOf(url, repository, shown.base),
    merge_base_commit: commitOf(url, repository, shown.mergeBase),
    ...{ ahead_by: shown.ahead, behind_by: shown.behind, total_commits: shown.ahead, commits: [] },
  }
}

export interface ShownReview {
  id: number
  login: string
  association: Schemas['author-association']
  state: string
  body: string
  commit: string
}

export function reviewOf(url: string, pull: string, shown: ShownReview): Schemas['pull-request-review'] {
  const { id, login, association, state, body, commit } = shown
  const html = `${pull}#pullrequestreview-${id}`
  return {
    ...{ id, node_id: `PRR_${id}`, user: userOf(url, login), body, state, html_url: html },
    ...{ pull_request_url: pull, commit_id: commit, author_association: association },
    ...{ submitted_at: longAgo, _links: { html: { href: html }, pull_request: { href: pull } } },
  }
}

export function reviewCommentOf(
  url: string,
  pull: string,
  review: ShownReview,
  { path, line, body }: { path: string; line: number; body: string },
): Schemas['review-comment'] {
  const id = review.id * 100 + line
  const self = `${pull}/comments/${id}`
  return {
    ...{
      id,
      node_id: `PRRC_${id}`,
      url: self,
      html_url: `${pull}#discussion_r${id}`,
      pull_request_url: pull,
    },
    ...{ pull_request_review_id: review.id, path, line, body, side: 'RIGHT', diff_hunk: '@@ -0,0 +1 @@' },
    ...{ position: 1, original_position: 1, commit_id: review.commit, original_commit_id: review.commit },
    ...{ user: userOf(url, review.login), author_association: review.association },
    ...{ created_at: longAgo, updated_at: longAgo },
    _links: { self: { href: self }, html: { href: pull }, pull_request: { href: pull } },
  }
}

/** What a person may do in a repository. */
export const permissionOf = (
  url: string,
  login: string,
  permission: string,
): Schemas['repository-collaborator-permission'] => ({
  ...{ permission, role_name: permission },
  user: { ...userOf(url, login), role_name: permission },
})
