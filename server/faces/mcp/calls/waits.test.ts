import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { resolveDecision } from '../../../domain/engine/answers/resolve.ts'
import { askPeople } from '../../../domain/engine/lifecycle/ask.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { until } from '../../../test/until.ts'

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '100000' } })
after(() => app.stop())

/** FAULTS=all: as many as a large place has (`npm run test:faults`). */
const most = process.env.FAULTS === 'all' ? 500 : 100

test(`${most} waits hold no connection of the database, cost next to nothing, and all hear of the answer`, async (t) => {
  const { db } = app.storage
  const owner = await aMember(await aWorkspace(db, app.clock), 'owner')
  const story = await aStory(owner, await aTeam(owner))
  const { token } = await aToken(owner)
  const key = await askPeople(
    { ...owner, channel: 'mcp' },
    {
      about: { story: story.key },
      question: 'Shall we?',
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No' },
      ],
      recommendation: 'yes',
    },
  )
  let open = 0
  const waits = Array.from({ length: most }, async () => {
    const response = await app.get('/mcp', token, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_decision', arguments: { decision: key, waitSeconds: 50 } },
      }),
    })
    open += 1
    return response.text()
  })
  await until('all are held', () => open === most)
  // The server has five connections: with a wait on each of them, nothing else would be answered.
  const before = process.cpuUsage()
  const startedAt = performance.now()
  for (let round = 0; round < 5; round += 1) assert.equal((await app.get('/v1/decisions', token)).status, 200)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const { user, system } = process.cpuUsage(before)
  const share = (user + system) / 1000 / (performance.now() - startedAt)
  t.diagnostic(`${most} waits: ${(share * 100).toFixed(1)} % of a core, with the test's own client`)
  await resolveDecision(owner, { key, optionId: 'yes' })
  const answers = await Promise.all(waits)
  assert.ok(answers.every((text) => text.includes('\\"optionId\\":\\"yes\\"')))
})
