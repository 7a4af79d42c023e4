import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Connection } from '../../domain/ports/connection.ts'
import { systemClock } from '../../infra/clock.ts'
import { SlackDouble } from '../../test/doubles/slack.ts'
import type { Call } from '../connections/call.ts'
import { slackSockets } from './slack-socket.ts'

const connection = { credentials: { appToken: 'xapp-1' } } as unknown as Connection

test('the socket goes to the address that was checked; the name is not looked up again', async (t) => {
  const slack = await SlackDouble.start()
  t.after(() => slack.stop())
  const { port } = new URL(slack.url)
  const name = 'socket.slack.invalid'
  const call = (async () => ({
    body: { ok: true, url: `ws://${name}:${port}/api/socket` },
  })) as unknown as Call
  let asked = 0
  const resolve = async () => {
    asked += 1
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const { socket } = await slackSockets(call, systemClock, [name], resolve)(connection)
  const [{ data }] = (await once(socket, 'message')) as [MessageEvent]
  assert.equal(JSON.parse(data).type, 'hello')
  assert.equal(asked, 1)
  socket.close()
})

test('a socket that would lead into a private network is refused', async () => {
  const call = (async () => ({ body: { ok: true, url: 'wss://socket.slack.invalid/' } })) as unknown as Call
  const resolve = async () => [{ address: '10.0.0.7', family: 4 }]
  await assert.rejects(slackSockets(call, systemClock, [], resolve)(connection), /not on the public internet/)
})
