import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import { surveyFeature } from '@signalbox/contract/runner/messages.ts'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { testApp } from '../../../test/app.ts'
import { TestClock } from '../../../test/clock.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { barePerformers } from '../../../test/engine/engine.ts'
import { aRunner } from '../../../test/engine/real-runner.ts'
import { TestRunner } from '../../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { change } from '../../record/audit/change.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resumeTeam } from '../../work/teams/resume.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { readObstacles } from '../orders/read-obstacles.ts'
import { sweep } from '../supervision/sweep.ts'
import { readMaintenance } from './read-maintenance.ts'
import { startSurvey } from './start-survey.ts'
import { stopSurvey } from './stop-survey.ts'
import { dueOf, lastDue, nextDue } from './survey-schedule.ts'

const day = 86_400_000
let app: Awaited<ReturnType<typeof testApp>>
const clock = new TestClock('2026-03-31T12:00:00.000Z')
before(async () => {
  app = await testApp({ clock, env: { EXCHANGE_RATES: 'USD=0.5' } })
})
after(() => app.stop())

const look = async () => {
  const errors: Error[] = []
  const ports = { work: { serves: () => false }, performers: barePerformers }
  const base = { db: app.storage.db, clock, queue: silentQueue }
  const { surveyed } = await sweep(base, ports, (error) => void errors.push(error))
  assert.deepEqual(errors, [])
  return surveyed
}

/** A team with a repository that has strategy notes, and a policy with these surveys. */
async function aPlace(
  t: TestContext,
  maintenance: Partial<PolicySettings['maintenance']> = {},
  departures: Partial<PolicySettings> = {},
) {
  const repository = new ABareRepository()
  t.after(() => repository.remove())
  await repository.push('main', {
    'src/label.js': 'export const label = 1\n',
    '.kanman/strategy.md': 'Labels in every language of the union.\n',
  })
  const owner = await aMember(await aWorkspace(app.storage.db, clock), 'owner')
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial', {
    ...departures,
    maintenance: { schedule: 'weekly', surveyCents: 40, monthCents: 100, ...maintenance },
  })
  await change(owner, async (tx) => {
    await tables(tx)
      .insertInto('team_repositories')
      .values({
        ...{ workspace_id: owner.workspaceId, team_id: team.id, host: 'local', branch: 'main' },
        ...{ name: 'halden/labels', address: repository.bare },
      })
      .execute()
    return { value: undefined, audit: [] }
  })
  const { token } = await aToken(owner)
  const page = () => readMaintenance(owner, team.slug)
  return {
    ...{ owner, team, repository, token, page },
    gitFolder: repository.folder,
    url: app.url,
    pending: () =>
      tables(app.storage.db)
        .selectFrom('decisions')
        .select(['key', 'kind', 'title'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('status', '=', 'pending')
        .orderBy('id')
        .execute(),
    ended: (count: number) =>
      until(`${count} surveys have ended`, async () => {
        const { surveys } = await page()
        return surveys.length === count && surveys.every(({ endedAt }) => endedAt !== null)
      }),
  }
}

const proposing = (...more: object[]) => ({
  stories: { '*': { propose: [[...more, { result: 'proposals.json', json: { proposals } }]] } },
})
const story = { acceptanceCriteria: ['Nothing imports it'], size: 's', complexity: 'low' }
const proposals = [
  {
    kind: 'maintenance_proposal',
    fingerprint: 'Dead code: src/label.js',
    title: 'Delete label.js',
    body: 'Unused.',
    story,
  },
  {
    kind: 'strategy_proposal',
    fingerprint: 'languages',
    title: 'Print labels in Finnish',
    body: 'The notes say so.',
  },
]

test('a scheduled survey reads the repository and its notes and asks; what was declined is not asked again', async (t) => {
  const place = await aPlace(t)
  assert.equal(await look(), 0, 'what was due before the schedule was set is not made up for')
  const runner = await aRunner(place, {
    script: proposing(
      { write: 'src/label.js', text: 'changed\n' },
      { cost: { amount: 0.1, currency: 'EUR', model: 'm-1', input: 7 } },
    ),
  })
  t.after(() => runner.stop())
  const tip = place.repository.tip('main')

  clock.forward(7 * day)
  assert.equal(await look(), 1)
  await place.ended(1)
  const { surveys, spentMonthCents, nextAt } = await place.page()
  const [{ startedAt: _, endedAt: __, key, ...survey }] = surveys as [(typeof surveys)[number]]
  assert.deepEqual(survey, {
    ...{
      status: 'succeeded',
      startedBy: null,
      repository: 'halden/labels',
      commit: tip,
      proposals: 2,
      leftOut: 0,
      touched: ['src/label.js'],
    },
    ...{ costCents: 10, budgetCents: 40, attempts: 1, runner: 'real', error: null },
  })
  assert.equal(spentMonthCents, 10)
  assert.equal(nextAt, nextDue('weekly', clock.now()).toISOString())
  assert.deepEqual(
    [place.repository.tip('main'), place.repository.git('branch', '--list').trim()],
    [tip, '* main'],
  )
  const asked = await place.pending()
  assert.deepEqual(
    asked.map(({ kind, title }) => [kind, title]),
    [
      ['maintenance_proposal', 'Delete label.js'],
      ['strategy_proposal', 'Print labels in Finnish'],
    ],
  )
  const runs = await app.get('/v1/runs', place.token)
  assert.deepEqual(
    ((await runs.json()) as { data: unknown[] }).data,
    [],
    'a survey is no run of the REST API',
  )
  const ledger = await tables(app.storage.db)
    .selectFrom('usage_ledger')
    .select(['source', 'model', 'input_tokens', 'output_tokens'])
    .where('workspace_id', '=', place.owner.workspaceId)
    .execute()
  assert.deepEqual(
    ledger.map((bill) => ({ ...bill, input_tokens: Number(bill.input_tokens) })),
    [{ source: 'agent', model: 'm-1', input_tokens: 7, output_tokens: null }],
  )

  for (const { key: decision } of asked)
    await resolveDecision(place.owner, { key: decision, optionId: 'decline' })
  assert.equal(await look(), 0, 'one a week')
  clock.forward(7 * day)
  assert.equal(await look(), 1)
  await place.ended(2)
  const again = (await place.page()).surveys[0]!
  assert.deepEqual([again.status, again.proposals, again.leftOut], ['succeeded', 0, 2])
  assert.deepEqual(await place.pending(), [])

  await pauseTeam(place.owner, place.team.slug)
  clock.forward(7 * day)
  assert.equal(await look(), 0, 'a paused team is not surveyed')
  await assert.rejects(startSurvey(place.owner, place.team.slug), /paused/)
  await resumeTeam(place.owner, place.team.slug)
  assert.equal(await look(), 1)
  await place.ended(3)

  const entries = await tables(app.storage.db)
    .selectFrom('audit_entries')
    .select('entry')
    .where('workspace_id', '=', place.owner.workspaceId)
    .where('event', '=', 'survey_changed')
    .orderBy('id')
    .execute()
  const told = entries.map(({ entry }) => JSON.parse(String(entry)))
  assert.deepEqual(
    told
      .slice(0, 2)
      .map(({ actor, entity, details }) => [actor.type, entity.id, details.change, details.costCents]),
    [
      ['service', key, 'started', undefined],
      ['service', key, 'ended', 10],
    ],
  )
  assert.equal(told.length, 6)
})

test('the budget of a survey and that of the month hold, and a person who starts one is told', async (t) => {
  const place = await aPlace(t, { schedule: 'off', surveyCents: 40, monthCents: 50 })
  const runner = await aRunner(place, { script: proposing({ cost: { amount: 0.3, currency: 'EUR' } }) })
  t.after(() => runner.stop())
  await startSurvey(place.owner, place.team.slug)
  await place.ended(1)
  await startSurvey(place.owner, place.team.slug)
  await place.ended(2)
  const { surveys, obstacle, spentMonthCents } = await place.page()
  assert.deepEqual(
    surveys.map(({ status, budgetCents, costCents, startedBy, proposals: found }) => [
      status,
      budgetCents,
      costCents,
      startedBy !== null,
      found,
    ]),
    [
      ['failed', 20, 30, true, 0],
      ['succeeded', 40, 30, true, 2],
    ],
  )
  assert.match(surveys[0]!.error!, /budget/)
  assert.deepEqual([spentMonthCents, obstacle], [60, 'The €0.50 for maintenance this month has been spent.'])
  await assert.rejects(startSurvey(place.owner, place.team.slug), {
    code: 'conflict',
    message: /has been spent/,
  })
  await assert.rejects(startSurvey(await aMember(place.owner, 'member'), place.team.slug), {
    code: 'insufficient_role',
  })
})

test('a survey whose runner is killed goes to another; the first one’s late report changes nothing', async (t) => {
  const place = await aPlace(t, { schedule: 'off' })
  const old = new TestRunner(place.url, place.token, { name: 'old' })
  const killed = new TestRunner(place.url, place.token, { name: 'killed', features: [surveyFeature] })
  await old.register()
  await killed.register()
  await startSurvey(place.owner, place.team.slug)
  assert.equal(await old.acquire(undefined, 0), null, 'who does not know surveys is given none')
  const order = (await killed.acquire())!
  assert.equal(order.job as string, 'survey')
  assert.equal((await killed.report(order, [1, { type: 'usage', amount: 0.1, currency: 'EUR' }])).status, 200)
  assert.equal((await killed.beat([order])).orders[0]!.verdict, 'go_on')
  const runner = await aRunner(place, { script: proposing() })
  t.after(() => runner.stop())
  clock.forward(7 * 60_000)
  // The first look after a time without any spares what could not be heard.
  await look()
  clock.forward(2 * 60_000)
  await look()
  await place.ended(1)
  const [survey] = (await place.page()).surveys
  assert.deepEqual(
    [survey!.status, survey!.attempts, survey!.runner, survey!.costCents, survey!.proposals],
    ['succeeded', 2, 'real', 10, 2],
  )
  const late = await killed.report(order, [
    2,
    { type: 'surveyed', commit: '1'.repeat(40), proposals: [], touched: [] },
  ])
  assert.equal(late.status, 409)
  assert.equal((await place.page()).surveys[0]!.proposals, 2)
})

test('a survey that waits for a runner keeps no story waiting', async (t) => {
  const place = await aPlace(t, { schedule: 'off' })
  await new TestRunner(place.url, place.token, { slots: 1 }).register()
  await startSurvey(place.owner, place.team.slug)
  assert.deepEqual(await readObstacles(place.owner, { serves: () => false }, { team: place.team.slug }), [])
})

test('a survey can be stopped, and its runner is told', async (t) => {
  const place = await aPlace(t, { schedule: 'off' })
  const runner = new TestRunner(place.url, place.token, { features: [surveyFeature] })
  await runner.register()
  await startSurvey(place.owner, place.team.slug)
  const order = (await runner.acquire())!
  await assert.rejects(startSurvey(place.owner, place.team.slug), /already running/)
  await stopSurvey(place.owner, place.team.slug)
  assert.equal((await runner.beat([order])).orders[0]!.verdict, 'stop')
  assert.equal((await place.page()).surveys[0]!.status, 'stopped')
  await assert.rejects(stopSurvey(place.owner, place.team.slug), { code: 'conflict' })
})

test('through the real gateway a run stops before its budget and asks, and the ledger says what each call was', async (t) => {
  const place = await aPlace(
    t,
    { schedule: 'off' },
    { executor: 'command', budgets: { runCents: 20, dayCents: null, monthCents: null } },
  )
  let calls = 0
  // $3 for a million tokens of input: each call is $0.15, which is 7.5 cents at the rate of this server.
  const model = createServer((_, response) => {
    calls += 1
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ model: 'claude-sonnet-4-5', usage: { input_tokens: 50_000, output_tokens: 0 } }),
    )
  }).listen(0, '127.0.0.1')
  t.after(() => model.close())
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-agent-'))
  t.after(() => rm(folder, { recursive: true }))
  const program = path.join(folder, 'agent.mjs')
  await writeFile(
    program,
    `#!${process.execPath}
    for (let n = 0; n < 20; n += 1) {
      const answer = await fetch(process.env.SIGNALBOX_MODEL_URL + '/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'x'.repeat(50_000) }] }),
      })
      await answer.text()
      if (answer.status === 402) process.exit(1)
    }`,
  )
  await chmod(program, 0o755)
  const { port } = model.address() as AddressInfo
  const runner = await aRunner(place, {
    agents: [`command=${program}`],
    environment: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` },
  })
  t.after(() => runner.stop())
  await aStory(place.owner, place.team)
  await until('the run asks for more money', async () => {
    await look()
    return (await place.pending()).some(({ kind }) => kind === 'budget_stop')
  })
  const bills = await tables(app.storage.db)
    .selectFrom('usage_ledger')
    .select(['source', 'provider', 'model', 'input_tokens', 'price_table', 'euro_micros'])
    .where('workspace_id', '=', place.owner.workspaceId)
    .execute()
  assert.deepEqual([bills.length, calls], [2, 2], '15 cents of 20: what is left does not cover another')
  for (const bill of bills) {
    assert.deepEqual(
      [bill.source, bill.provider, bill.model, Number(bill.input_tokens), Number(bill.euro_micros)],
      ['gateway', 'anthropic', 'claude-sonnet-4-5', 50_000, 75_000],
    )
    assert.match(bill.price_table!, /\S/)
  }
})

test('the moments of a schedule: days, Mondays and firsts of a month, at three', () => {
  const at = (text: string) => new Date(`${text}:00.000Z`)
  const now = at('2026-04-01T02:59')
  const around = (schedule: 'daily' | 'weekly' | 'monthly') =>
    [lastDue(schedule, now), nextDue(schedule, now)].map((moment) => moment.toISOString().slice(0, 16))
  assert.deepEqual(around('daily'), ['2026-03-31T03:00', '2026-04-01T03:00'])
  assert.deepEqual(around('weekly'), ['2026-03-30T03:00', '2026-04-06T03:00'])
  assert.deepEqual(around('monthly'), ['2026-03-01T03:00', '2026-04-01T03:00'])
  const since = at('2026-03-01T00:00')
  const due = (done: Date | null) => dueOf('daily', { since, done }, at('2026-03-05T04:00'))
  assert.deepEqual(due(null), at('2026-03-05T03:00'))
  assert.deepEqual(
    due(at('2026-03-02T03:00')),
    at('2026-03-05T03:00'),
    'of those that were missed, one is made up for',
  )
  assert.equal(due(at('2026-03-05T03:00')), null)
  assert.equal(dueOf('daily', { since: at('2026-03-05T03:30'), done: null }, at('2026-03-05T04:00')), null)
})
