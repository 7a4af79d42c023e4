import assert from 'node:assert/strict'
import type { Connection } from '../../../domain/ports/connection.ts'
import type { TrackerProject } from '../../../domain/ports/tracker.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { linearConnector } from '../../../integrations/connections/linear.ts'
import { trackersFor } from '../../../integrations/trackers/index.ts'
import { TestClock } from '../../clock.ts'
import { LinearDouble } from '../linear.ts'
import { LinearIssues } from '../linear-issues.ts'
import { playTracker } from './play-tracker.ts'
import type { Witness } from './witness.ts'

/** Everything that we ask of Linear. */
export async function playLinear(witness: Witness, ending: (() => unknown)[]): Promise<LinearDouble> {
  const clock = new TestClock()
  const double = await new LinearDouble().start()
  ending.push(() => double.stop())
  witness.linear(double)
  double.addKey('lin_api_1')
  const team = double.addTeam('WEB', 'Web')
  const issues = new LinearIssues(double, team, clock)
  const call = callerFor({ allow: ['127.0.0.1'], clock })
  const connection: Connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'linear', name: 'Linear', baseUrl: double.url },
    ...{ credentials: { token: 'lin_api_1' }, account: 'bot@example.com' },
  }
  const connector = linearConnector(call)
  await connector.check(connection)
  await connector.projects!(connection, 'web')
  const hook = { url: 'https://box.example.com/hooks/t', secret: 's' }
  const scope = { id: team.id, name: team.key }
  for (let time = 0; time < 2; time += 1) await connector.makeWebhook!(connection, { ...hook, scope })
  double.webhooks[0]!.enabled = false
  const health = await connector.lookAfterHooks!(connection, { ...hook, scopes: [scope], since: null })
  assert.equal(health.mended, true)
  const ours = issues.label('agents', team.id)
  issues.label('agents', 'another team')
  const tracker = trackersFor(call, clock).linear
  const at: TrackerProject = { connection, project: team, label: null }
  await playTracker(tracker, at, {
    open: () => issues.open({ title: 'Lay the ground', labelIds: [ours] }),
    block: (id, by) => issues.block(id, by),
    absent: '00000000-0000-4000-8000-000000000999',
  })
  const [one] = issues.issues.keys()
  assert.notEqual(await tracker.blockers!(at, one!), null)
  const labelled = await tracker.changed({ ...at, label: 'agents' }, null)
  assert.equal(labelled.issues.length, 2, 'labels are told, and looked for')
  return double
}
