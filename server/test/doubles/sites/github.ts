import { type Clock, systemClock } from '../../../infra/clock.ts'
import type { GitBehind } from '../git-server.ts'
import { GithubPulls } from '../github/pulls.ts'
import { GithubDouble } from '../github.ts'
import { GithubIssues } from '../github-issues.ts'
import { hooksOfGithub } from '../hooks.ts'
import { pathOf } from './pages.ts'
import type { Site } from './site.ts'

const readyLabel = 'signalbox:ready'

export interface GithubSite extends Site {
  double: GithubDouble
  pullRequests: GithubPulls
}

/** GitHub with a repository that has issues, pull requests and real git, and others that have only code. */
export async function githubSite({
  repository,
  git,
  others = {},
  token = 'ghp_demo',
  port = 0,
  clock = systemClock,
}: {
  repository: string
  git: GitBehind
  others?: Record<string, GitBehind>
  token?: string
  port?: number
  clock?: Clock
}): Promise<GithubSite> {
  const double = await new GithubDouble().start(port)
  double.addToken(token)
  const pullRequests = new GithubPulls(double)
  const repositories: Record<string, GitBehind> = { [repository]: git, ...others }
  for (const [name, one] of Object.entries(repositories)) pullRequests.add(name, one)
  const issues = new GithubIssues(double, repository, clock)
  const hooks = hooksOfGithub(double, repository, issues)
  const verdictsOn = (commit: string) => [
    ...(pullRequests.checks.get(commit) ?? []).map((check) => ({
      name: check.name,
      state: check.conclusion ?? check.status,
      url: `${(check as { details_url?: string }).details_url ?? ''}`,
    })),
    ...(pullRequests.statuses.get(commit) ?? []).map((status) => ({
      name: status.context,
      state: status.state,
      url: status.target_url,
    })),
  ]
  return {
    ...{ kind: 'github', name: 'GitHub', pullName: 'Pull request', double, hooks, pullRequests },
    credentials: { token },
    project: { key: repository },
    readyWord: `Label ${readyLabel}`,
    open: ({ title, text }) => `${issues.open({ title, body: text })}`,
    markReady: (id) =>
      issues.edit(Number(id), { labels: [...new Set([...issues.labelsOf(Number(id)), readyLabel])] }),
    issues: () =>
      [...issues.issues.values()].map((issue) => ({
        id: `${issue.number}`,
        key: `#${issue.number}`,
        url: `${double.url}${pathOf(repository, 'issues', issue.number)}`,
        title: issue.title,
        text: issue.body ?? '',
        status: [issue.state, ...issue.labels.map(({ name }) => name)].join(', '),
        isReady: issue.labels.some(({ name }) => name === readyLabel),
        isClosed: issue.state === 'closed',
        comments: issue.comments.map(({ body }) => body),
        links: [],
      })),
    pulls: () =>
      pullRequests.pulls.map((pull) => {
        const head = pull.closedAt ?? repositories[pull.repository]!.tip(pull.head) ?? ''
        return {
          number: pull.number,
          url: `${double.url}${pathOf(pull.repository, 'pull', pull.number)}`,
          title: pull.title,
          text: pull.body,
          ...{ branch: pull.head, head, state: pull.merge ? 'merged' : pull.state },
          verdicts: verdictsOn(head),
        }
      }),
    kept: {
      counter: double,
      parts: {
        repositories: double.repositories,
        issues: issues.issues,
        pulls: pullRequests.pulls,
        checks: pullRequests.checks,
        statuses: pullRequests.statuses,
      },
    },
    stop: async () => {
      await hooks.settled()
      await double.stop()
    },
  }
}
