import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testApp } from '../../../test/app.ts'
import { aDecision } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import {
  aSlackChannel,
  type SlackChannel,
  slackOnLoopback,
  textOf,
  theChannel,
} from '../../../test/tools/slack-channel.ts'
import { until } from '../../../test/until.ts'
import { change } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { type Performers, performEffect } from '../../record/outbox/perform.ts'
import { showDecision, showInChat } from './show-decision.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
})
after(() => app.stop())

/** Performs everything that is due concurrently, as several nodes would. */
async function perform({ owner }: SlackChannel) {
  const { secrets } = app.storage
  const performers = {
    show_decision: showDecision(slackOnLoopback, null, { secrets, publicUrl: () => app.url }),
  } as unknown as Performers
  const due = await tables(app.storage.db)
    .selectFrom('effects')
    .select('id')
    .where('workspace_id', '=', owner.workspaceId)
    .where('done_at', 'is', null)
    .execute()
  await Promise.allSettled(due.map(({ id }) => performEffect(owner, id, performers)))
  return due.length
}

const want = ({ owner, team }: SlackChannel, key: string) =>
  change(owner, async (tx) => {
    await showInChat(owner, tx, key, team.id)
    return { value: undefined, audit: [] }
  })

test('a channel gets one post a second, however many want one, and no one is refused', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team } = channel
  t.after(() => slack.stop())
  slack.isStrict = true
  for (let n = 0; n < 3; n += 1) await want(channel, (await aDecision(owner, team)).key)
  await until('all are posted', async () => (await perform(channel)) === 0 && slack.messages.length === 3)
  const posts = slack.writes.filter(({ method }) => method === 'chat.postMessage')
  posts.slice(1).forEach(({ atMs }, n) => {
    assert.ok(atMs - posts[n]!.atMs >= 1_000, `${atMs - posts[n]!.atMs} ms apart`)
  })
  assert.equal(slack.calls.filter((method) => method === 'chat.postMessage').length, 3)
})

test('the channel is left alone for as long as Slack asks', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team } = channel
  t.after(() => slack.stop())
  slack.fail({ status: 429, headers: { 'retry-after': '2' }, body: '{"ok":false,"error":"ratelimited"}' })
  for (let n = 0; n < 2; n += 1) await want(channel, (await aDecision(owner, team)).key)
  await perform(channel)
  const refusedAt = Date.now()
  assert.equal(slack.messages.length, 0)
  await until('one is posted', async () => {
    await perform(channel)
    return slack.messages.length > 0
  })
  assert.ok(slack.writes[0]!.atMs - refusedAt >= 1_500, `${slack.writes[0]!.atMs - refusedAt} ms`)
})

test('of several changes of a message only the last state is sent', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team, place } = channel
  t.after(() => slack.stop())
  const { key } = await aDecision(owner, team)
  await want(channel, key)
  await until('it is posted', async () => (await perform(channel)) === 0 && slack.messages.length === 1)
  await app.storage.pool.query("update decisions set status = 'expired' where key = $1", [key])
  for (let n = 0; n < 5; n += 1)
    await change(owner, async (tx) => {
      const data = { decision: key, place: place.id }
      await addEffect(owner, tx, { kind: 'show_decision', key: `show_decision/${key}/test/${n}`, data })
      return { value: undefined, audit: [] }
    })
  await until('nothing is left to be done', async () => (await perform(channel)) === 0)
  assert.match(textOf(slack.parent(theChannel)!), /expired without an answer/)
  assert.deepEqual(
    slack.writes.map(({ method }) => method),
    ['chat.postMessage', 'chat.update'],
  )
})
