import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { createLog } from '../../infra/log.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { escaped } from '../../integrations/chat/mrkdwn.ts'
import { TestClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { aSlackChannel, slackOnLoopback } from '../../test/tools/slack-channel.ts'
import { until } from '../../test/until.ts'
import { SlackSockets } from './sockets.ts'

const database = await testDatabase()
after(() => database.close())
/** No server beside it, which would open sockets of its own. */
const app = {
  url: 'http://127.0.0.1:1',
  storage: { db: database.db, secrets: secretsFrom('a key for tests that nobody else has') },
} as unknown as Parameters<typeof aSlackChannel>[0]

test('a socket that has gone silent is given up after 30 seconds, and another one is opened', async (t) => {
  const channel = await aSlackChannel(app, { isSocket: true })
  t.after(() => channel.slack.stop())
  const { slack } = channel
  const clock = new TestClock()
  const sockets = new SlackSockets({
    ...{
      db: app.storage.db,
      clock,
      queue: silentQueue,
      secrets: app.storage.secrets,
      publicUrl: () => app.url,
    },
    ...{
      chat: slackOnLoopback,
      escaped,
      log: createLog({ level: 'silent', to: { write: () => {} } }),
      lookMs: 3_600_000,
    },
  })
  t.after(() => sockets.stop())
  const opened = () => slack.calls.filter((method) => method === 'apps.connections.open').length
  await sockets.look()
  await until('the socket is open', () => slack.hasSocket)
  const ownOpened = opened()
  // Pings of theirs keep it, and so do answers to ours.
  clock.forward(29_000)
  const { pongs } = slack.signs
  slack.pingSocket()
  await until('the ping is answered', () => slack.signs.pongs > pongs)
  clock.forward(29_000)
  const { pings } = slack.signs
  sockets.watch()
  await until('it is asked for a sign', () => slack.signs.pings > pings)
  assert.equal(opened(), ownOpened)
  slack.muteSocket()
  clock.forward(31_000)
  sockets.watch()
  await until('another one is opened', () => opened() > ownOpened && slack.hasSocket)
  assert.deepEqual(
    await slack.overSocket('interactive', { type: 'block_actions', user: { id: 'U9' }, actions: [] }),
    null,
  )
})
