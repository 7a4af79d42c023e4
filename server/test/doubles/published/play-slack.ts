import assert from 'node:assert/strict'
import type { ChatMessage } from '../../../domain/ports/chat.ts'
import type { Connection } from '../../../domain/ports/connection.ts'
import { systemClock } from '../../../infra/clock.ts'
import { slackChat } from '../../../integrations/chat/slack.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { slackConnector } from '../../../integrations/connections/slack.ts'
import { SlackDouble } from '../slack.ts'
import type { Witness } from './witness.ts'

const channel = 'C0000001'
const linked = { heading: 'Done', linked: [{ text: 'Merged', url: 'https://box.example.com/runs/run-7k2q' }] }
/** Everything that can be in one. */
const message: ChatMessage = {
  ...{ title: 'dec-k3x9: Approve the plan', body: ['About it', { markdown: '> quoted' }, linked] },
  buttons: [
    { id: 'dec-k3x9/approve', label: 'Approve', explained: 'It starts.', isRecommended: true },
    { id: 'dec-k3x9/refuse', label: 'Refuse', explained: null, isRecommended: false },
  ],
  ...{ note: 'Note', links: [{ label: 'Open', url: 'https://box.example.com' }], footer: 'Until noon.' },
}

/** Everything that we ask of Slack. */
export async function playSlack(witness: Witness, ending: (() => unknown)[]): Promise<SlackDouble> {
  const slack = await SlackDouble.start()
  ending.push(() => slack.stop())
  witness.slack(slack)
  slack.addChannel(channel, 'checkout')
  slack.addChannel('C0000002', 'elsewhere', { isMember: false })
  slack.addUser({ id: 'U1', name: 'ann', email: 'ann@example.com' })
  const call = callerFor({ allow: ['127.0.0.1'], clock: systemClock })
  const connection: Connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'slack', name: 'Slack', baseUrl: slack.url, account: null },
    credentials: { botToken: slack.botToken, appToken: slack.appToken },
  }
  assert.deepEqual((await slackConnector(call).check(connection)).missing, [])
  const chat = slackChat(call, systemClock, ['127.0.0.1'])
  await chat.findChannel(connection, channel)
  await chat.findUser(connection, 'U1')
  const post = { channel, message, under: null, mayBeThere: true }
  const parent = await chat.post(connection, { ...post, key: 'parent' })
  assert.equal(await chat.post(connection, { ...post, key: 'parent' }), parent, 'found again')
  const reply = await chat.post(connection, { ...post, key: 'reply', under: parent })
  assert.equal(await chat.post(connection, { ...post, key: 'reply', under: parent }), reply)
  await chat.update(connection, channel, parent, { ...message, buttons: [], note: null })
  await chat.postEphemeral(connection, { channel, user: 'U1' }, 'Only you see this')
  const direct = { ...post, channel: await chat.openDirect(connection, 'U1'), key: 'direct' }
  assert.equal(await chat.post(connection, direct), await chat.post(connection, direct), 'found again')
  await assert.rejects(chat.openDirect(connection, 'U9'))
  await assert.rejects(chat.findChannel(connection, 'C0000009'))
  await assert.rejects(chat.post(connection, { ...post, channel: 'C0000002', key: 'k' }))
  slack.scopes = slack.scopes.filter((scope) => scope !== 'users:read')
  await assert.rejects(chat.findUser(connection, 'U1'))
  return slack
}
