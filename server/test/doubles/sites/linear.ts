import { systemClock } from '../../../infra/clock.ts'
import { hooksOfLinear } from '../hooks.ts'
import { LinearDouble } from '../linear.ts'
import { LinearIssues } from '../linear-issues.ts'
import type { Site } from './site.ts'

const ready = 'state-todo'

/** Linear with one team. */
export async function linearSite({
  key = 'NOT',
  name,
  port = 0,
}: {
  key?: string
  name: string
  port?: number
}): Promise<Site> {
  const double = await new LinearDouble().start(port)
  double.addKey('lin_api_demo')
  const team = double.addTeam(key, name)
  const issues = new LinearIssues(double, team, systemClock)
  const hooks = hooksOfLinear(double, team, issues)
  const stateOf = (id: string) => issues.states.find((one) => one.id === id)!
  return {
    ...{ kind: 'linear', name: 'Linear', pullName: 'Pull request', double, hooks },
    credentials: { token: 'lin_api_demo' },
    project: { key },
    readyWord: `Move to ${stateOf(ready).name}`,
    open: ({ title, text }) => issues.open({ title, description: text }),
    markReady: (id) => issues.edit(id, { stateId: ready }),
    issues: () =>
      [...issues.issues.values()].map((issue) => ({
        id: issue.id,
        key: issue.identifier,
        url: `${double.url}/halden/issue/${issue.identifier}`,
        title: issue.title,
        text: issue.description ?? '',
        status: stateOf(issue.stateId).name,
        isReady: issue.stateId === ready,
        isClosed: stateOf(issue.stateId).type === 'completed',
        comments: [...issues.comments.values()]
          .filter(({ issueId }) => issueId === issue.id)
          .map(({ body }) => body),
        links: issues.attachments.filter(({ issueId }) => issueId === issue.id).map(({ url }) => url),
      })),
    pulls: () => [],
    kept: {
      counter: double,
      parts: {
        teams: double.teams,
        issues: issues.issues,
        comments: issues.comments,
        attachments: issues.attachments,
      },
    },
    stop: async () => {
      await hooks.settled()
      await double.stop()
    },
  }
}
