import assert from 'node:assert/strict'
import type { Connection } from '../../../domain/ports/connection.ts'
import type { TrackerProject } from '../../../domain/ports/tracker.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { jiraConnector } from '../../../integrations/connections/jira.ts'
import { trackersFor } from '../../../integrations/trackers/index.ts'
import { TestClock } from '../../clock.ts'
import { JiraDouble } from '../jira.ts'
import { JiraIssues } from '../jira-issues.ts'
import { playTracker } from './play-tracker.ts'
import type { Witness } from './witness.ts'

/** Everything that we ask of Jira in the cloud; a data center has no description that is published. */
export async function playJira(witness: Witness, ending: (() => unknown)[]): Promise<JiraDouble> {
  const clock = new TestClock()
  const double = await new JiraDouble().start()
  ending.push(() => double.stop())
  witness.jira(double)
  double.addAccount({ email: 'bot@example.com', token: 'right' })
  const project = double.addProject('WEB', 'Web')
  const issues = new JiraIssues(double, project, clock)
  const call = callerFor({ allow: ['127.0.0.1'], clock })
  const connection: Connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'jira', name: 'Jira', baseUrl: double.url, account: null },
    credentials: { email: 'bot@example.com', token: 'right' },
  }
  const connector = jiraConnector(call)
  await connector.check(connection)
  await connector.projects!(connection, 'web')
  const hook = { url: 'https://box.example.com/hooks/t', secret: 's' }
  const scope = { id: project.id, name: project.key }
  for (let time = 0; time < 2; time += 1) await connector.makeWebhook!(connection, { ...hook, scope })
  const soon = Date.now() + 86_400_000
  double.dynamicHooks.push({ id: 1, url: hook.url, expirationDate: soon })
  const health = await connector.lookAfterHooks!(connection, { ...hook, scopes: [scope], since: null })
  assert.equal(health.mended, true)
  const tracker = trackersFor(call, clock).jira
  const at: TrackerProject = { connection, project, label: null }
  await playTracker(tracker, at, {
    open: () => issues.open({ summary: 'Lay the ground' }),
    block: (id, by) => issues.block(id, by),
    absent: '99999',
  })
  const [made] = (await tracker.changed(at, null)).issues
  const before = await tracker.update(at, made!, { block: 'Size: L' })
  issues.edit(made!.id, {
    comments: [
      ...issues.get(made!.id).comments,
      ...Array.from({ length: 30 }, (_, n) => ({ id: `9${n}`, author: 'ada', body: 'Word' })),
    ],
  })
  const kept = new Map<string, string>()
  const blocks = {
    find: async (id: string) => kept.get(id) ?? null,
    keep: async (id: string, comment: string) => void kept.set(id, comment),
  }
  for (const how of ['in a list that is cut, too', 'by the id that was kept'])
    assert.equal((await tracker.fetch({ ...at, blocks }, made!.id))?.block, before.block, how)
  return double
}
