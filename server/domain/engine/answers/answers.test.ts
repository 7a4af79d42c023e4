import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ResolvedDecision } from '@signalbox/contract/decision.ts'
import { money } from '@signalbox/contract/money.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aStory } from '../../../test/factories.ts'
import { proposed } from '../../../test/requirements.ts'
import { tables } from '../../../test/tables.ts'
import type { Proposal, WorkEvent } from '../../ports/work.ts'
import { listRequirementRows } from '../../work/requirements/list-rows.ts'
import { readRequirement } from '../../work/requirements/read.ts'
import { readStory } from '../../work/stories/read.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resolveDecision } from './resolve.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const tracker = { platform: 'pretend', key: 'SHOP-1', url: 'https://tracker.example.com/issues/SHOP-1' }

const steps = ({ effects }: ResolvedDecision) =>
  effects.map(({ type, status, target }) => [type, status, target.id])

/** What the person said who sent the story back: kept on its row, for the board. */
async function noteOn(run: OneRun): Promise<string | null> {
  const row = await tables(database.db)
    .selectFrom('stories')
    .select('returned_note')
    .where('id', '=', run.story.id)
    .executeTakeFirstOrThrow()
  return row.returned_note
}

const commentsOn = (issue: string) => engine.tracker.comments.filter((comment) => comment.issue === issue)

const needs = (...paths: string[]): WorkEvent => ({ ...goesWell.plan, paths })
const changes = (...paths: string[]): WorkEvent => ({
  ...goesWell.change,
  change: { ...goesWell.change.change, paths },
})
const spends = (amount: number): WorkEvent => ({ type: 'usage', amount, currency: 'EUR' })
const toVerified = [goesWell.plan, goesWell.change, goesWell.gates]

test('approve_plan: the plan is approved and implementation starts', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  const resolved = await run.answer('approve', 'Go.')
  assert.deepEqual(steps(resolved), [['implementation_started', 'queued', run.key]])
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await run.read()).attempts, 1)
  assert.equal(run.order.stage, 'implementing')
  assert.equal(run.order.plan, goesWell.plan.plan)
  assert.equal((await run.readStory()).column.role, 'in_progress')
})

test('approve_plan: what runs is finished, also while its team is paused', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  await pauseTeam(run.owner, run.team.slug)
  await run.answer('approve')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

test('request_changes: the run continues with the note as input', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  const resolved = await run.answer('changes', 'Begin with the tests.')
  assert.deepEqual(steps(resolved), [['run_continued', 'queued', run.key]])
  assert.deepEqual(await run.stands(), ['running', 'planning'], 'a plan is made anew')
  assert.equal((await run.read()).attempts, 1)
  assert.deepEqual(run.order.guidance, ['Begin with the tests.'])
})

test('request_changes: a verified change is worked on again, and the story is back in progress', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toVerified, goesWell.finish)
  assert.equal((await run.readStory()).column.role, 'review')
  await run.answer('changes', 'Rename it.')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await run.readStory()).column.role, 'in_progress')
  assert.equal(run.order.guidance.at(-1), 'Rename it.')
  assert.deepEqual(
    [...engine.gitHost.done.keys()].filter((key) => key.includes(run.order.runId)),
    [],
  )
})

test('request_changes without a note passes on what the option says, or that no one said what to change', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  const [{ key } = { key: '' }] = await run.pending()
  const asked = resolveDecision(run.owner, { key, optionId: 'changes', note: ' ', asksForNote: true })
  await assert.rejects(asked, /needs a note that says what to change/)
  await run.answer('changes')
  assert.match(run.order.guidance.at(-1)!, /^A person sent the work back and did not say what to change\./)
  const other = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
  await other.tell(needs('infra/main.tf'))
  await other.answer('changes')
  assert.deepEqual(other.order.guidance, ['Continue without these paths'])
})

test('request_changes: a scope that is kept leaves the plan as it was', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan, goesWrong.scope)
  await run.answer('keep')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal(run.order.plan, goesWell.plan.plan)
})

test('approve_plan: a wider scope is implemented by the wider plan', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan, goesWrong.scope)
  await run.answer('widen')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal(run.order.plan, goesWrong.scope.plan)
})

test('allow_once: what was asked for is allowed in this run, and nothing else', async () => {
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
  await run.tell(needs('src/a.ts', 'infra/main.tf'))
  const resolved = await run.answer('allow')
  assert.deepEqual(steps(resolved), [['exception_granted', 'done', run.key]])
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.deepEqual(run.order.exceptions, ['infra/main.tf'])

  await run.tell(changes('infra/main.tf', 'infra/secrets.tf'))
  assert.equal((await run.asked()).kind, 'policy_exception')
  assert.match((await run.asked()).body, /infra\/secrets\.tf/)
  assert.doesNotMatch((await run.asked()).body, /infra\/main\.tf/)
  await run.answer('allow')
  assert.deepEqual(await run.stands(), ['running', 'verifying'])
  assert.deepEqual(run.order.exceptions, ['infra/main.tf', 'infra/secrets.tf'])
  assert.equal((await run.read()).attempts, 1)
})

test('allow_once: the next run of the team asks again', async () => {
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
  await run.tell(needs('infra/main.tf'))
  await run.answer('allow')
  const story = await aStory(run.owner, run.team)
  await engine.sweep()
  await engine.settle()
  const next = fromJson(await readStory(run.owner, story.key)).runKeys[0]!
  assert.deepEqual(engine.orderOf(next).exceptions, [])
  await engine.report(engine.orderOf(next), needs('infra/main.tf'))
  const asked = await run.asked()
  assert.deepEqual([asked.kind, asked.runKey], ['policy_exception', next])
})

test('allow_once: a plan that the policy wants approved is still asked about', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised', departures: { deniedPaths: ['infra/**'] } })
  await run.tell(needs('infra/main.tf'))
  const resolved = await run.answer('allow')
  const next = await run.asked()
  assert.equal(next.kind, 'plan_approval')
  assert.deepEqual(steps(resolved), [
    ['exception_granted', 'done', run.key],
    ['decision_raised', 'done', next.key],
  ])
  await run.answer('approve')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.deepEqual(run.order.exceptions, ['infra/main.tf'])
})

test('allow_once: a plan that calls itself risky is still asked about where the policy asks by risk', async () => {
  const run = await OneRun.begin(engine, { preset: 'balanced', departures: { deniedPaths: ['infra/**'] } })
  await run.tell({ ...goesWell.plan, paths: ['infra/main.tf'], risk: 'high' })
  await run.answer('allow')
  assert.equal((await run.asked()).kind, 'plan_approval')
})

test('reject: the run ends, and the story returns to Backlog with the note, also in the tracker', async () => {
  const issue = { ...tracker, key: 'SHOP-2' }
  const run = await OneRun.begin(engine, { preset: 'supervised', story: { tracker: issue } })
  await run.tell(goesWell.plan)
  const handedOut = engine.orders.length
  const resolved = await run.answer('reject', 'Not before the move.')
  assert.deepEqual(steps(resolved), [
    ['run_ended', 'done', run.key],
    ['story_returned', 'done', run.story.key],
  ])
  const { status, failureClass, completedAt, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['stopped', null], 'nothing had failed')
  assert.ok(completedAt)
  assert.match(attemptList[0]!.error ?? '', /^Ended by .*: Not before the move\.$/)
  assert.equal((await run.readStory()).column.role, 'backlog')
  assert.equal(await noteOn(run), 'Not before the move.')
  assert.deepEqual(
    commentsOn(issue.key).map(({ text }) => text),
    ['Not before the move.'],
  )
  assert.ok((await run.audit()).some(({ event }) => event === 'tracker_written'))
  await engine.sweep()
  assert.equal(engine.orders.length, handedOut, 'it is not taken up again')
})

test('reject without a note writes nothing into the tracker', async () => {
  const issue = { ...tracker, key: 'SHOP-3' }
  const run = await OneRun.begin(engine, { preset: 'supervised', story: { tracker: issue } })
  await run.tell(goesWell.plan)
  await run.answer('reject')
  assert.equal((await run.readStory()).column.role, 'backlog')
  assert.equal(await noteOn(run), null)
  assert.deepEqual(commentsOn(issue.key), [])
})

test('reject of what the policy does not allow ends the run as failed by policy', async () => {
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
  await run.tell(needs('infra/main.tf'))
  await run.answer('reject')
  const { status, failureClass } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'policy'])
})

test('abandon: the run ends and the story returns to Backlog; a note stays with the decision', async () => {
  const issue = { ...tracker, key: 'SHOP-4' }
  const run = await OneRun.begin(engine, { story: { tracker: issue } })
  await run.tell(goesWell.plan, goesWrong.question)
  const resolved = await run.answer('abandon', 'Nobody knows.')
  assert.deepEqual(steps(resolved), [
    ['run_ended', 'done', run.key],
    ['story_returned', 'done', run.story.key],
  ])
  assert.equal(resolved.resolution?.note, 'Nobody knows.')
  assert.equal((await run.read()).status, 'stopped')
  assert.equal((await run.readStory()).column.role, 'backlog')
  assert.equal(await noteOn(run), null)
  assert.deepEqual(commentsOn(issue.key), [])
})

const oneEuro = { budgets: { runCents: 100, dayCents: null, monthCents: null } }

test('raise_budget: the budget is doubled and the run continues where it stopped', async () => {
  const run = await OneRun.begin(engine, { departures: oneEuro })
  await run.tell(goesWell.plan, spends(1))
  const resolved = await run.answer('raise')
  assert.deepEqual(steps(resolved), [['budget_raised', 'done', run.key]])
  const { budgetCents, costCents, attempts } = await run.read()
  assert.deepEqual([budgetCents, costCents, attempts], [200, 100, 1])
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal(run.order.reservedCents, 100)
  await run.tell(spends(0.99))
  assert.equal((await run.read()).status, 'running')
  await run.tell(spends(0.01))
  assert.equal((await run.asked()).kind, 'budget_stop')
  await run.answer('raise')
  assert.equal((await run.read()).budgetCents, 400)
})

test('raise_budget: it is doubled until it covers what is spent, and the question says so beforehand', async () => {
  for (const [spent, raised] of [
    [1.5, 200],
    [2, 400],
    [4.5, 800],
  ] as const) {
    const run = await OneRun.begin(engine, { departures: oneEuro })
    await run.tell(spends(spent))
    assert.match((await run.asked()).body, new RegExp(` ${money(raised)}`))
    await run.answer('raise')
    assert.equal((await run.read()).budgetCents, raised)
    assert.equal((await run.read()).status, 'running')
  }
})

test('revert_spec_and_retry: the acceptance spec is restored and a new attempt starts', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan, goesWrong.changedSpec)
  const resolved = await run.answer('restore')
  assert.deepEqual(steps(resolved), [['spec_restored', 'queued', run.key]])
  const { attempts, attemptList } = await run.read()
  assert.equal(attempts, 2)
  assert.deepEqual(
    attemptList.map(({ status, failureClass }) => [status, failureClass]),
    [
      ['failed', 'gate'],
      ['running', null],
    ],
  )
  assert.deepEqual([run.order.attempt, run.order.stage], [2, 'implementing'])
  assert.equal(run.order.restoreSpec, true)
  assert.equal(run.order.guidance.length, 1)
  await run.tell(goesWell.change)
  assert.equal(run.order.restoreSpec, false, 'it is restored once')
})

test('retry: a new attempt starts with the note as guidance', async () => {
  const run = await OneRun.begin(engine, { departures: { gateFailureBudget: 9 } })
  await run.tell(goesWell.plan, goesWell.change, goesWrong.gates)
  assert.equal((await run.read()).attempts, 2, 'the automatic rework')
  await run.tell(goesWell.change, goesWrong.gates)
  assert.equal((await run.asked()).kind, 'verification_failed')
  const resolved = await run.answer('retry', 'The clock is mocked in the wrong place.')
  assert.deepEqual(steps(resolved), [['attempt_started', 'queued', run.key]])
  const { attempts, attemptList } = await run.read()
  assert.equal(attempts, 3)
  assert.deepEqual([attemptList[1]?.status, attemptList[1]?.failureClass], ['failed', 'gate'])
  assert.deepEqual([run.order.attempt, run.order.stage], [3, 'implementing'])
  assert.equal(run.order.guidance.at(-1), 'The clock is mocked in the wrong place.')
  await run.tell(goesWell.change, goesWrong.gates)
  assert.equal((await run.read()).attempts, 4, 'the service may rework once more by itself')
})

test('answer: the answer is passed to the coding agent, and the run continues', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan, goesWrong.question)
  const resolved = await run.answer('local', 'Summer time counts.')
  assert.deepEqual(steps(resolved), [['run_continued', 'queued', run.key]])
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await run.read()).attempts, 1)
  assert.deepEqual(run.order.guidance, [
    'Answer to "Which time zone?": That of the depot. Summer time counts.',
  ])
})

test('merge: the pull request is merged, once', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toVerified, goesWell.finish)
  const resolved = await run.answer('merge')
  assert.deepEqual(steps(resolved), [['merge_started', 'queued', run.key]])
  engine.clock.forward(3_600_000)
  await engine.sweep()
  await engine.sweep()
  const done = [...engine.gitHost.done].filter(([key]) => key.includes(run.order.runId))
  assert.deepEqual(
    done.map(([, what]) => what),
    ['merged #7'],
  )
  assert.equal((await run.read()).status, 'succeeded')
  assert.equal((await run.readStory()).column.role, 'done')
})

test('merge: a pull request that the git host does not merge ends the run, with the reason', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  engine.merges = (story) => (story === run.story.key ? { refused: 'there are conflicts' } : {})
  await run.tell(...toVerified, goesWell.finish)
  await run.answer('merge')
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'dependency'])
  assert.match(attemptList[0]!.error ?? '', /there are conflicts/)
  assert.equal((await run.readStory()).column.role, 'review')
})

async function aBrokenMain() {
  const run = await OneRun.begin(engine)
  engine.merges = (story) => (story === run.story.key ? { mainRed: 'orders.test.ts fails' } : {})
  await run.tell(...toVerified, goesWell.finish)
  assert.equal((await run.asked()).kind, 'revert_approval')
  return run
}

test('open_revert: a revert pull request is opened, and the run has failed for good', async () => {
  const run = await aBrokenMain()
  const resolved = await run.answer('revert')
  assert.deepEqual(steps(resolved), [['revert_started', 'queued', run.key]])
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'persistent'])
  assert.equal(attemptList[0]!.error, 'Merged as #7 and turned main red. Pull request #8 reverts it.')
  const done = [...engine.gitHost.done].filter(([key]) => key.includes(run.order.runId))
  assert.deepEqual(
    done.map(([, what]) => what),
    ['merged #7', 'reverted #7'],
  )
})

test('decline_proposal: a revert that is declined leaves the merge', async () => {
  const run = await aBrokenMain()
  const resolved = await run.answer('leave')
  assert.deepEqual(steps(resolved), [['merge_kept', 'done', run.key]])
  assert.equal((await run.read()).status, 'succeeded')
  assert.equal((await run.readStory()).column.role, 'done')
  const done = [...engine.gitHost.done].filter(([key]) => key.includes(run.order.runId))
  assert.deepEqual(
    done.map(([, what]) => what),
    ['merged #7'],
  )
})

test('retry: a merge that broke main is mended by another attempt', async () => {
  const run = await aBrokenMain()
  await run.answer('forward', 'Only the test is wrong.')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await run.read()).attempts, 2)
  assert.equal(run.order.guidance.at(-1), 'Only the test is wrong.')
})

const aProposal = (departures: Partial<Proposal> = {}): WorkEvent => ({
  type: 'proposal_made',
  proposal: {
    kind: 'maintenance_proposal',
    fingerprint: 'old-library',
    title: 'Replace the old date library',
    body: 'It is not maintained any more.',
    story: proposed(),
    ...departures,
  },
})

test('accept_proposal: a proposal that is a story is filed in Ready, and taken up', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(aProposal())
  const resolved = await run.answer('accept', 'Before the winter.')
  const [step, ...others] = resolved.effects
  assert.deepEqual([step?.type, step?.status, others.length], ['story_filed', 'done', 0])
  const story = fromJson(await readStory(run.owner, step!.target.id))
  assert.equal(story.title, proposed().title)
  assert.deepEqual([story.draft, story.readinessScore], [false, 100])
  assert.match(story.description, /\n\nBefore the winter\.$/)
  assert.equal(story.column.role, 'in_progress')
  assert.equal(engine.orderOf(story.runKeys[0]!).story.key, story.key)
  assert.deepEqual(await run.stands(), ['running', 'planning'], 'whoever proposed it goes on')
})

test('accept_proposal: a story that is not ready is filed to be refined, and no one is promised more', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(aProposal({ story: proposed({ demonstrate: null }) }))
  const { effects } = await run.answer('accept')
  const story = fromJson(await readStory(run.owner, effects[0]!.target.id))
  assert.deepEqual([story.column.role, story.runKeys.length], ['refining', 0])
  assert.match(effects[0]!.message, /needs refining/)
})

test('accept_proposal: an idea is sent to the requirements, once', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(aProposal({ kind: 'strategy_proposal', story: null }))
  const resolved = await run.answer('accept', 'For the app only.')
  assert.deepEqual(steps(resolved), [['requirement_submitted', 'queued', run.team.slug]])
  await engine.sweep()
  const { data } = await listRequirementRows(run.owner, { team: run.team.slug }, { limit: 10, after: null })
  assert.equal(data.length, 1)
  assert.equal(
    fromJson(await readRequirement(run.owner, fromJson(data[0]!).slug)).text,
    'Replace the old date library\n\nIt is not maintained any more.\n\nFor the app only.',
  )
})

test('decline_proposal: a proposal is declined and remembered', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(aProposal())
  const resolved = await run.answer('decline')
  assert.deepEqual(steps(resolved), [['proposal_declined', 'done', run.team.slug]])
  await run.tell(aProposal(), aProposal({ title: 'The same in other words' }))
  assert.deepEqual(await run.pending(), [])
  assert.equal((await run.readStory()).runKeys.length, 1)
})
