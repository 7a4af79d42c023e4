import { systemClock } from '../../../infra/clock.ts'
import type { GitBehind } from '../git-server.ts'
import { GitlabMergeRequests } from '../gitlab/merge-requests.ts'
import { GitlabDouble } from '../gitlab.ts'
import { GitlabIssues } from '../gitlab-issues.ts'
import { hooksOfGitlab } from '../hooks.ts'
import { pathOf } from './pages.ts'
import type { Site } from './site.ts'

const readyLabel = 'workflow::ready'

/** GitLab with one project: issues, merge requests and real git. */
export async function gitlabSite({
  project: name,
  git,
  token = 'glpat-demo',
  port = 0,
}: {
  project: string
  git: GitBehind
  token?: string
  port?: number
}): Promise<Site> {
  const double = await new GitlabDouble().start(port)
  double.addToken(token)
  const requests = new GitlabMergeRequests(double)
  requests.add(name, git)
  const project = double.projectOf(name)!
  const issues = new GitlabIssues(double, project, systemClock)
  const hooks = hooksOfGitlab(double, project, issues)
  return {
    ...{ kind: 'gitlab', name: 'GitLab', pullName: 'Merge request', double, hooks },
    credentials: { token },
    project: { key: name },
    readyWord: `Label ${readyLabel}`,
    open: ({ title, text }) => `${issues.open({ title, description: text })}`,
    markReady: (id) => {
      const { labels } = issues.get(Number(id))
      const others = labels.filter((label) => !label.startsWith('workflow::'))
      issues.edit(Number(id), { labels: [...others, readyLabel] })
    },
    issues: () =>
      [...issues.issues.values()].map((issue) => ({
        id: `${issue.iid}`,
        key: `#${issue.iid}`,
        url: `${double.url}${pathOf(name, '-', 'issues', issue.iid)}`,
        title: issue.title,
        text: issue.description ?? '',
        status: [issue.state, ...issue.labels].join(', '),
        isReady: issue.labels.includes(readyLabel),
        isClosed: issue.state === 'closed',
        comments: issue.notes.map(({ body }) => body),
        links: [],
      })),
    pulls: () =>
      requests.all.map((one) => {
        const head = one.endedAt ?? git.tip(one.source) ?? ''
        const statuses = requests.statuses.get(head) ?? []
        return {
          number: one.iid,
          url: `${double.url}${pathOf(name, '-', 'merge_requests', one.iid)}`,
          title: one.title,
          text: one.description,
          ...{ branch: one.source, head, state: one.state === 'opened' ? 'open' : one.state },
          verdicts: statuses.map((status) => ({
            name: status.name,
            state: status.state,
            url: status.target_url,
          })),
        }
      }),
    kept: {
      counter: double,
      parts: {
        projects: double.projects,
        issues: issues.issues,
        requests: requests.all,
        statuses: requests.statuses,
      },
    },
    stop: async () => {
      await hooks.settled()
      await double.stop()
    },
  }
}
