import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { setTokenAnswersOwnAgent } from '../../accounts/workspaces/token-answers-own-agent.ts'
import type { Context } from '../../context.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readDecision } from '../../work/decisions/read.ts'
import { readDecisionPage } from '../../work/decisions/read-page.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { askPeople } from './ask.ts'
import { expireDecision } from './expire.ts'

const database = await testDatabase()
after(() => database.close())

const options = [
  { id: 'both', label: 'Keep both' },
  { id: 'new', label: 'Only the new one' },
]
const asking = { question: 'Keep the old address?', options, recommendation: 'both' }

/** A person whose agent has a token. */
async function asker() {
  const owner = await aMember(await aWorkspace(database.db, new TestClock()), 'owner')
  const story = await aStory(owner, await aTeam(owner))
  const agent: Context = { ...owner, channel: 'mcp', origin: { tokenPrefix: 'tk_12345678' } }
  return { owner, agent, story, about: { story: story.key } }
}

const read = async (ctx: Context, key: string) => fromJson(await readDecision(ctx, key))
const entries = async (ctx: Context, event: 'decision_raised' | 'decision_resolved') =>
  (await listAudit(ctx, { event }, { limit: 10, after: null })).data.map(fromJson)

test('a question about a story without a run is asked, answered and recorded, and nothing resumes', async () => {
  const { owner, agent, story, about } = await asker()
  const key = await askPeople(agent, { about, ...asking, context: '# Not a heading' })
  const decision = await read(owner, key)
  assert.deepEqual([decision.kind, decision.status, decision.runKey], ['clarification', 'pending', null])
  assert.equal(decision.story?.key, story.key)
  assert.deepEqual(
    decision.options.map(({ id, action, recommended }) => [id, action, recommended]),
    [
      ['both', 'answer', true],
      ['new', 'answer', false],
    ],
  )
  assert.match(decision.body, /^> # Not a heading$/m)
  const { consequences } = await readDecisionPage(owner, null, key)
  assert.match(consequences[0]!.sentence, /Nothing else changes/)

  const resolved = fromJson(await resolveDecision(owner, { key, optionId: 'new', note: 'Since May.' }))
  assert.deepEqual(
    resolved.effects.map(({ type, status }) => [type, status]),
    [['answer_recorded', 'done']],
  )
  const [raised] = await entries(owner, 'decision_raised')
  assert.deepEqual([raised?.actor.type, raised?.details.channel], ['human', 'mcp'])
})

test('a question that is sent again is the same decision, also once it is answered', async () => {
  const { owner, agent, about } = await asker()
  const key = await askPeople(agent, { about, ...asking })
  assert.equal(await askPeople(agent, { about, ...asking }), key)
  await resolveDecision(owner, { key, optionId: 'both' })
  assert.equal(await askPeople(agent, { about, ...asking }), key)
  assert.notEqual(await askPeople(agent, { about, ...asking, idempotencyKey: 'another' }), key)
  const both = await Promise.all(
    [1, 2].map(() => askPeople(agent, { about, ...asking, idempotencyKey: 'at once' })),
  )
  assert.equal(both[0], both[1])
})

test('a token of the person whose agent asked may answer only where the workspace lets it, and the log says so', async () => {
  const { owner, agent, about } = await asker()
  const [first, second] = [
    await askPeople(agent, { about, ...asking }),
    await askPeople(agent, { about, ...asking, idempotencyKey: 'second' }),
  ]
  // A new workspace does not.
  await assert.rejects(resolveDecision(agent, { key: first, optionId: 'both' }), { code: 'own_question' })
  await setTokenAnswersOwnAgent(owner, true)
  await resolveDecision(agent, { key: first, optionId: 'both' })
  const [said] = await entries(owner, 'decision_resolved')
  assert.equal(said?.details.ownQuestion, true)

  await setTokenAnswersOwnAgent(owner, false)
  await assert.rejects(resolveDecision(agent, { key: second, optionId: 'both' }), { code: 'own_question' })
  const colleague = await aMember(owner, 'member')
  const theirs: Context = { ...colleague, channel: 'mcp', origin: { tokenPrefix: 'tk_87654321' } }
  await assert.rejects(setTokenAnswersOwnAgent(colleague, true), { code: 'insufficient_role' })
  await assert.rejects(setTokenAnswersOwnAgent(owner, false), { code: 'conflict' })
  await resolveDecision(theirs, { key: second, optionId: 'new' })
  const [other] = await entries(owner, 'decision_resolved')
  assert.equal(other?.details.ownQuestion, undefined)

  // In the app it is the person.
  const third = await askPeople(agent, { about, ...asking, idempotencyKey: 'third' })
  await resolveDecision(owner, { key: third, optionId: 'both' })
  await setTokenAnswersOwnAgent(owner, true)
  const fourth = await askPeople(agent, { about, ...asking, idempotencyKey: 'fourth' })
  await resolveDecision(agent, { key: fourth, optionId: 'both' })
})

test('a question from outside about a run disturbs neither the run nor what it waits for', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.waitingForApproval(engine)
  const stands = await run.stands()
  const plan = await run.asked()
  const person = await aMember(run.owner, 'member')
  const agent: Context = { ...person, channel: 'mcp', origin: { tokenPrefix: 'tk_12345678' } }
  const key = await askPeople(agent, { about: { run: run.key }, ...asking })
  assert.equal((await read(run.owner, key)).runKey, run.key)
  assert.equal((await read(run.owner, plan.key)).status, 'pending')
  await resolveDecision(person, { key, optionId: 'new' })
  const late = await askPeople(agent, { about: { run: run.key }, ...asking, idempotencyKey: 'late' })
  await expireDecision(run.owner, late)
  assert.equal((await read(run.owner, late)).status, 'expired')
  assert.deepEqual(await run.stands(), stands)
})

test('a question that cannot be asked says why', async () => {
  const { agent, about } = await asker()
  const refused = (change: object) =>
    assert.rejects(askPeople(agent, { about, ...asking, ...change }), { code: 'invalid_request' })
  await refused({ options: options.slice(0, 1) })
  await refused({ options: [options[0], options[0]] })
  await refused({ recommendation: 'neither' })
  await refused({ options: [{ id: 'a b', label: 'A' }, options[1]], recommendation: 'new' })
  await refused({ question: '  ' })
  await assert.rejects(askPeople(agent, { ...asking, about: { story: 'NONE-1' } }), {
    code: 'story_not_found',
  })
})
