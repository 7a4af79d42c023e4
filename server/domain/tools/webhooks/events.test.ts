import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { type WebhookEvent, webhookEvents } from '@signalbox/contract/webhook-events.ts'
import {
  type WebhookType,
  webhookData,
  webhookExample,
  webhookMessage,
} from '@signalbox/contract/webhooks.ts'
import { Value } from 'typebox/value'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aPolicy, aStory } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { tables } from '../../../test/tables.ts'
import { allTypes, secrets } from '../../../test/tools/webhooks.ts'
import type { Context } from '../../context.ts'
import { expireDecision } from '../../engine/lifecycle/expire.ts'
import { raiseDecision } from '../../engine/lifecycle/raise.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { acknowledgeIncident } from '../../on-call/incidents/acknowledge.ts'
import { resolveIncident } from '../../on-call/incidents/resolve.ts'
import { change } from '../../record/audit/change.ts'
import { answerQuestions } from '../../work/requirements/answer-questions.ts'
import { submitRequirement } from '../../work/requirements/submit.ts'
import { placeStory } from '../../work/stories/place.ts'
import { addEndpoint } from './add.ts'
import { bodyOf } from './message.ts'

const database = await testDatabase()
after(() => database.close())

const sender = { refusalOf: async () => null }
const input = { url: 'https://example.com/', description: '', events: allTypes, teams: null }

/** Adds an endpoint, and returns what it is to be sent. */
async function listen(ctx: Context) {
  const { id } = await addEndpoint(ctx, { secrets, sender }, input)
  return async () => {
    const rows = await tables(database.db)
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', id)
      .orderBy('event_id')
      .execute()
    for (const { type, event_id, occurred_at, data, sequence } of rows) {
      const stored = { type: type as WebhookType, eventId: event_id, occurredAt: occurred_at, data, sequence }
      const body = bodyOf({ ...stored, workspace: 'acme' }, 'https://signalbox.example.com')
      assert.ok(Value.Check(webhookMessage(stored.type), JSON.parse(body)), body)
    }
    return rows.map(({ type, data, sequence }) => ({
      type: type as WebhookEvent,
      sequence,
      ...(JSON.parse(data) as { key: string; status?: string; drafts?: string[] }),
    }))
  }
}

const typesOf = (told: { type: string }[]) => told.map(({ type }) => type).toSorted()

test('from Ready to Done, a run and its story tell each step once', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const told = await listen(owner)
  const run = await OneRun.begin(engine, { owner, preset: 'supervised', departures: { mergePolicy: 'auto' } })
  await run.tell(goesWell.plan)
  assert.deepEqual(typesOf(await told()), ['decision.raised', 'policy.changed', 'run.started', 'run.waiting'])
  await run.answer('approve')
  await run.tell(goesWell.change, goesWell.gates, goesWell.finish, goesWell.mainGreen)
  const all = await told()
  assert.deepEqual(typesOf(all), [
    'decision.raised',
    'decision.resolved',
    'policy.changed',
    'run.started',
    'run.succeeded',
    'run.waiting',
    'story.done',
  ])
  const ofRun = all.filter(({ key }) => key === run.key)
  assert.deepEqual(
    ofRun.toSorted((a, b) => a.sequence - b.sequence).map(({ type }) => type),
    ['run.started', 'run.waiting', 'run.succeeded'],
  )
})

test('a run that is stopped takes its question back; one that no one answers fails', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const told = await listen(owner)
  const stopped = await OneRun.begin(engine, { owner, preset: 'supervised' })
  await stopped.tell(goesWell.plan)
  await stopRun(owner, stopped.key, { confirmed: true })
  const expired = await OneRun.begin(engine, { owner, preset: 'supervised' })
  await expired.tell(goesWell.plan)
  const { key } = await expired.asked()
  engine.clock.forward(8 * 86_400_000)
  await expireDecision(engine.service(owner.workspaceId), key)
  const all = await told()
  const statuses = all.filter((one) => [stopped.key, expired.key, key].includes(one.key))
  assert.deepEqual(statuses.map(({ type, status }) => [type, status]).toSorted(), [
    ['decision.expired', 'expired'],
    ['decision.raised', 'pending'],
    ['run.failed', 'failed'],
    ['run.started', 'running'],
    ['run.started', 'running'],
    ['run.stopped', 'stopped'],
    ['run.waiting', 'waiting'],
    ['run.waiting', 'waiting'],
  ])
  assert.ok(all.some(({ type }) => type === 'decision.cancelled'))
})

test('a newer question about the same run supersedes the older one', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const run = await OneRun.begin(engine, { owner })
  await run.tell(goesWrong.question)
  const told = await listen(owner)
  const { rows } = await database.pool.query(
    'select id, team_id from runs where key = $1 and workspace_id = $2',
    [run.key, owner.workspaceId],
  )
  const before = await run.asked()
  const { question, context, options, recommendation } = goesWrong.question
  await change(engine.service(owner.workspaceId), async (tx) => {
    const { entries } = await raiseDecision(engine.service(owner.workspaceId), tx, {
      kind: before.kind as 'clarification',
      facts: { question, context, options, recommendation },
      title: 'Again',
      team: { id: rows[0].team_id, slug: run.team.slug },
      story: run.story,
      run: { id: rows[0].id, key: run.key },
    } as unknown as Parameters<typeof raiseDecision>[2])
    return { value: undefined, audit: entries }
  })
  assert.deepEqual(typesOf(await told()), ['decision.raised', 'decision.superseded'])
})

test('stories that come to Ready, and requirements that are drafted, are told however they got there', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const { team } = await OneRun.begin(engine, { owner })
  const told = await listen(owner)
  const story = await aStory(owner, team, { column: 'backlog', title: proposed().title })
  await database.pool.query(
    `update stories s set description = d.description, acceptance_criteria = d.acceptance_criteria,
       demonstrate = d.demonstrate, size = 's', complexity = 'low'
     from (select $2::text as description, $3::jsonb as acceptance_criteria, $4::text as demonstrate) d where s.id = $1`,
    [
      story.id,
      proposed().description,
      JSON.stringify(
        proposed().acceptanceCriteria.map((text, n) => ({
          id: `ac-${n}`,
          text,
          status: 'unverified',
          verifiedAt: null,
        })),
      ),
      proposed().demonstrate,
    ],
  )
  await placeStory(owner, story.key, 'ready')
  const clear = aSplitter({ drafts: [proposed(), proposed({ title: 'Another' })], notes: [] })
  await submitRequirement(owner, clear, { team: team.slug, text: 'Show the delivery window.' })
  const unclear = aSplitter({ questions: ['Which?'], notes: [] } as never, {
    drafts: [proposed()],
    notes: [],
  })
  const asked = fromJson(await submitRequirement(owner, unclear, { team: team.slug, text: 'Show it.' }))
  await answerQuestions(owner, unclear, asked.slug, [{ id: 'q-1', answer: 'That one.' }])
  const all = await told()
  assert.deepEqual(typesOf(all), ['requirement.drafted', 'requirement.drafted', 'story.ready'])
  assert.equal(all.find(({ key }) => key === asked.slug)?.drafts?.length, 1)
})

test('an incident tells that it opened, what changed, and that it is over', async () => {
  const onCall = await OnCall.begin(database.db)
  const told = await listen(onCall.admin)
  const service = await onCall.service()
  await onCall.receive(await onCall.source('generic', [service]), { alerts: [anAlert()] })
  const { key } = (await onCall.incidents())[0]!
  await acknowledgeIncident(onCall.admin, key)
  await resolveIncident(onCall.admin, key, { reason: 'Over.' } as never)
  assert.deepEqual(
    (await told())
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ type, status, sequence }) => [type, status, sequence]),
    [
      ['incident.opened', 'open', 1],
      ['incident.updated', 'open', 2],
      ['incident.resolved', 'resolved', 3],
    ],
  )
})

test('without an endpoint nothing is written and nothing is counted', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  await aPolicy(run.owner, run.team, 'supervised')
  const { rows } = await database.pool.query('select from webhook_sequences where workspace_id = $1', [
    run.owner.workspaceId,
  ])
  assert.equal(rows.length, 0)
})

test('the example of every type is one, and there is an event for each', () => {
  for (const type of Object.keys(webhookData) as WebhookType[])
    assert.ok(Value.Check(webhookMessage(type), webhookExample(type)), type)
  assert.deepEqual(
    Object.keys(webhookData).filter((type) => type !== 'endpoint.test'),
    Object.keys(webhookEvents),
  )
})
