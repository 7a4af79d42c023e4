import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../domain/context.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { confirmReply } from '../../domain/reach/conversations/confirm.ts'
import { readConversation } from '../../domain/reach/conversations/read.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { readDecision } from '../../domain/work/decisions/read.ts'
import { readRequirement } from '../../domain/work/requirements/read.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { testApp } from '../../test/app.ts'
import { aDecision, aMember, aRun, aStory } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'
import {
  aSlackChannel,
  buttonsOf,
  linkSlackUser,
  textOf,
  theChannel,
} from '../../test/tools/slack-channel.ts'
import { until } from '../../test/until.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
})
after(() => app.stop())

const entriesOf = async (
  ctx: Context,
  event: 'decision_resolved' | 'requirement_answered' | 'run_state_changed',
) => (await listAudit(ctx, { event }, { limit: 10, after: null })).data.map(fromJson)

/** A vague requirement that a linked person has typed in the channel, with its thread. */
async function aThread() {
  const channel = await aSlackChannel(app)
  const { slack } = channel
  const ann = await linkSlackUser(channel, 'U1')
  await slack.command('requirement Make it better', 'U1', theChannel)
  await until('it is shown', () => slack.parent(theChannel) !== undefined)
  const parent = slack.parent(theChannel)!
  const slug = /\/intake\/([a-z0-9-]+)$/.exec(buttonsOf(parent)[0]!.url)![1]!
  // A reply implies that it was read.
  await until('the message is known', async () => {
    const { rowCount } = await app.storage.pool.query('select from chat_messages where subject = $1', [slug])
    return rowCount === 1
  })
  const say = (text: string, user = 'U1') => slack.say(text, user, { channel: theChannel, thread: parent.ts })
  const replies = () => slack.replies(parent).filter(({ user }) => user === null)
  return { ...channel, ann, parent, slug, say, replies }
}

test('a requirement typed in a channel has a thread there; a reply answers its questions, through the channel slack', async (t) => {
  const { slack, parent, slug, say, ann, owner, replies } = await aThread()
  t.after(() => slack.stop())
  const asked = fromJson(await readRequirement(ann, slug))
  assert.equal(asked.status, 'clarifying')
  for (const { text } of asked.questions) assert.ok(textOf(parent).includes(text))
  const message = await say(asked.questions.map((_, index) => `${index + 1}: Buyers see it`).join('\n'))
  // Slack sends again what was not confirmed in time.
  await slack.sendEvent(slack.eventOf(message))
  await until('it is answered', async () => fromJson(await readRequirement(ann, slug)).status === 'drafted')
  await until('the thread says so', () => /All questions are answered/.test(replies().map(textOf).join()))
  await until('the parent shows the drafts', () => /\(draft\)/.test(textOf(parent)))
  const [entry, ...more] = await entriesOf(owner, 'requirement_answered')
  assert.deepEqual([entry?.actor.userId, entry?.details.channel, more], [ann.personId, 'slack', []])
  assert.equal((await readConversation(ann, slug)).length, 1)
})

test('a reply that names a decision answers it only when its author confirms, by the same verb', async (t) => {
  const { slack, slug, say, ann, owner, team, workspace, replies } = await aThread()
  t.after(() => slack.stop())
  const story = await aStory(owner, team)
  const run = await aRun(owner, team, story)
  const { key } = await aDecision(owner, team, { storyId: story.id, run })
  await linkSlackUser({ slack, workspace }, 'U2')
  await say(`${key} approve: mind the edge cases`)
  await until('it is asked back', () => replies().length > 0)
  const [question] = replies()
  assert.match(
    textOf(question!),
    new RegExp(`Answer ${key} .* with “Approve”\\? .* implementation .* starts`, 's'),
  )
  assert.equal(fromJson(await readDecision(owner, key)).status, 'pending')
  const [confirm] = buttonsOf(question!)
  await slack.press(question!, confirm!.action_id, 'U2')
  await until('the other is told', () => slack.ephemeralMessages.length > 0)
  assert.match(slack.ephemeralMessages[0]!.text, /^Only .* can confirm/)
  assert.equal(fromJson(await readDecision(owner, key)).status, 'pending')
  await slack.press(question!, confirm!.action_id, 'U1')
  const { resolvedVia, resolution } = fromJson(await readDecision(owner, key))
  assert.deepEqual([resolvedVia, resolution], ['slack', { optionId: 'approve', note: 'mind the edge cases' }])
  await until('the message says it', () => /answered dec-/.test(textOf(question!)))
  assert.deepEqual(buttonsOf(question!), [])
  const [entry] = await entriesOf(owner, 'decision_resolved')
  assert.deepEqual([entry?.actor.userId, entry?.details.channel], [ann.personId, 'slack'])
  const [reply] = await readConversation(ann, slug)
  assert.deepEqual([reply?.channel, reply?.outcome], ['slack', 'done'])
})

test('the same in the app: a run is stopped and retried by a reply, and who is late is told who was first', async (t) => {
  const channel = await aSlackChannel(app)
  t.after(() => channel.slack.stop())
  const { owner, team, workspace } = channel
  const browser = await signedIn(app, { ...owner, slug: workspace.slug })
  const write = async <T>(name: string, input: object): Promise<T> => {
    const response = await browser.write(name, input)
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as T
  }
  const { slug } = await write<{ slug: string }>('requirements.submit', {
    team: team.slug,
    text: 'Make it better',
  })
  const run = await aRun(owner, team, await aStory(owner, team))
  const stop = await write<{ id: string }>('conversations.reply', { slug, text: `stop ${run.key}` })
  assert.notEqual(fromJson(await readRun(owner, run.key)).status, 'stopped')
  const [pending] = await readConversation(owner, slug)
  assert.deepEqual([pending?.mayConfirm, pending?.channel], [true, 'app'])
  assert.match(pending!.response!, /^Stop run-.* The story stays where it is\./)
  await assert.rejects(
    confirmReply(await aMember(workspace, 'owner'), stop.id),
    /^DomainError: |Only .* can confirm/,
  )
  assert.equal(
    (await write<{ outcome: string }>('conversations.confirm', { reply: stop.id })).outcome,
    'done',
  )
  assert.equal(fromJson(await readRun(owner, run.key)).status, 'stopped')
  const [entry] = await entriesOf(owner, 'run_state_changed')
  assert.deepEqual([entry?.actor.userId, entry?.details.channel], [owner.personId, 'app'])
  assert.equal((await browser.write('conversations.confirm', { reply: stop.id })).status, 409)
  const again = await write<{ id: string }>('conversations.reply', {
    slug,
    text: `retry ${run.key}: use the new tests`,
  })
  assert.equal(
    (await write<{ outcome: string }>('conversations.confirm', { reply: again.id })).outcome,
    'done',
  )
  assert.equal(fromJson(await readRun(owner, run.key)).attempts, 2)

  const story = await aStory(owner, team)
  const { key } = await aDecision(owner, team, { storyId: story.id, run: await aRun(owner, team, story) })
  const late = await write<{ id: string }>('conversations.reply', { slug, text: `${key} 1` })
  await resolveDecision({ ...owner, channel: 'api' }, { key, optionId: 'changes' })
  const refused = await write<{ outcome: string; text: string }>('conversations.confirm', { reply: late.id })
  assert.equal(refused.outcome, 'refused')
  assert.match(refused.text, /is already closed\. .* through the API/)
  const dropped = await write<{ id: string }>('conversations.reply', { slug, text: `retry ${run.key}` })
  const said = (await readConversation(owner, slug)).find(({ id }) => id === dropped.id)
  assert.match(said!.response!, /Only runs that failed/)
})

test('a stranger in the thread gets a sentence and is not heard; threads of others are none of ours', async (t) => {
  const { slack, slug, say, ann, replies } = await aThread()
  t.after(() => slack.stop())
  await say('1: Everybody', 'U2')
  await until('the ephemeral message arrives', () =>
    slack.ephemeralMessages.some(({ user }) => user === 'U2'),
  )
  await slack.say('1: Everybody', 'U1', { channel: theChannel, thread: '1.000001' })
  await slack.say('1: Everybody', 'U1', { channel: theChannel })
  await say('What a day')
  await until('who is known is heard', () => replies().length === 1)
  assert.match(textOf(replies()[0]!), /Which question is that an answer to\?/)
  assert.deepEqual(
    (await readConversation(ann, slug)).map(({ text }) => text),
    ['What a day'],
  )
})
