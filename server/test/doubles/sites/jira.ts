import { systemClock } from '../../../infra/clock.ts'
import { hooksOfJira } from '../hooks.ts'
import { JiraDouble } from '../jira.ts'
import { JiraIssues } from '../jira-issues.ts'
import type { Site } from './site.ts'

const ready = '2'

/** Jira Cloud with one project. */
export async function jiraSite({
  key = 'DEP',
  name,
  port = 0,
}: {
  key?: string
  name: string
  port?: number
}): Promise<Site> {
  const double = await new JiraDouble().start(port)
  const credentials = { email: 'bot@example.com', token: 'jira-demo' }
  double.addAccount(credentials)
  const project = double.addProject(key, name)
  const issues = new JiraIssues(double, project, systemClock)
  const hooks = hooksOfJira(double, project, issues)
  const statusOf = (id: string) => issues.statuses.find((one) => one.id === id)!
  return {
    ...{ kind: 'jira', name: 'Jira', pullName: 'Pull request', double, hooks, credentials },
    project: { key },
    readyWord: `Move to ${statusOf(ready).name}`,
    open: ({ title, text }) => issues.open({ summary: title, description: text }),
    markReady: (id) => issues.edit(id, { status: ready }),
    issues: () =>
      [...issues.issues.values()].map((issue) => ({
        id: issue.id,
        key: issue.key,
        url: `${double.url}/browse/${issue.key}`,
        title: issue.summary,
        text: issue.description ?? '',
        status: statusOf(issue.status).name,
        isReady: issue.status === ready,
        isClosed: statusOf(issue.status).statusCategory.key === 'done',
        comments: issue.comments.map(({ body }) => body),
        links: issue.links.map(({ object }) => object.url),
      })),
    pulls: () => [],
    kept: {
      counter: double,
      parts: { projects: double.projects, issues: issues.issues },
    },
    stop: async () => {
      await hooks.settled()
      await double.stop()
    },
  }
}
