import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type CallOutcome, type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import { systemClock } from '../../infra/clock.ts'
import { JiraDouble } from '../../test/doubles/jira.ts'
import { callerFor } from './call.ts'

const jira = await new JiraDouble().start()
after(() => jira.stop())
jira.addAccount({ email: 'bot@example.com', token: 'jira-1' })
const connection: Connection = {
  ...{ id: 'c', workspaceId: 'w', kind: 'jira', name: 'Jira', baseUrl: jira.url },
  ...{ credentials: { email: 'bot@example.com', token: 'jira-1' }, account: null },
}
const noted: CallOutcome['result'][] = []
const call = callerFor({
  ...{ allow: ['127.0.0.1'], clock: systemClock },
  note: async (_, { result }) => void noted.push(result),
})

test('what is forbidden is noted as a refusal, except where it was asked for beyond what is needed', async () => {
  const onlyForApps = { path: '/rest/api/3/webhook' }
  await assert.rejects(call(connection, onlyForApps), ToolRefused)
  await assert.rejects(call(connection, { ...onlyForApps, mayBeForbidden: true }), ToolRefused)
  assert.deepEqual(noted, ['refused', 'done'])
})
