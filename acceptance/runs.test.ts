import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../contract/audit.ts'
import type { Decision, ResolvedDecision } from '../contract/decision.ts'
import type { Run, RunListed } from '../contract/run.ts'
import type { Story, StoryListed } from '../contract/story.ts'
import type { Team } from '../contract/team.ts'
import { type Demo, hurried, type Page, startDemo, temporaryFolder, until } from './demo.ts'

/**
 * Runs, from a Ready story to their end, without anyone pushing: what the service does on its own, where it stops for a
 * person, and that it goes on after it was killed.
 */

const demo = await startDemo({ env: hurried })
const { otherWorkspace } = demo.tokens

const ended = ['succeeded', 'failed', 'timed_out', 'stopped']

/** The newest run of a story, once there is one. */
async function runOf(world: Demo, story: string, token = world.tokens.owner): Promise<Run> {
  let key: string | undefined
  await until(`${story} has a run`, async () => {
    key = (await world.get<Story>(`/v1/stories/${story}`, token)).runKeys[0]
    return key !== undefined
  })
  return world.get<Run>(`/v1/runs/${key}`, token)
}

/** What was read once the condition held. */
async function comesTrue<T>(what: string, read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  let value: T
  await until(what, async () => {
    value = await read()
    return holds(value)
  })
  return value!
}

const isOver = ({ status }: { status: string }) => ended.includes(status)
const ends = (world: Demo, story: string, token?: string) =>
  comesTrue(`the run of ${story} ends`, () => runOf(world, story, token), isOver)

/** The question of that kind that the story's run waits with. */
async function asks(story: string, kind: Decision['kind'], token = demo.tokens.owner): Promise<Decision> {
  const run = await comesTrue(
    `the run of ${story} asks about ${kind}`,
    () => runOf(demo, story, token),
    ({ decisions }) => decisions.some((decision) => decision.kind === kind && decision.status === 'pending'),
  )
  const asked = run.decisions.find((decision) => decision.kind === kind && decision.status === 'pending')
  return demo.get<Decision>(`/v1/decisions/${asked!.key}`, token)
}

async function answer(
  world: Demo,
  key: string,
  optionId: string,
  note: string | null = null,
  token = world.tokens.owner,
): Promise<ResolvedDecision> {
  const { status, text } = await world.ask(`/v1/decisions/${key}/resolve`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ optionId, note }),
  })
  assert.equal(status, 200, text)
  return JSON.parse(text)
}

const logOf = async (run: Run, token = demo.tokens.owner) =>
  (await demo.all<AuditEntry>(`/v1/audit?run=${run.key}`, token)).reverse()

const columnOf = async (world: Demo, story: string, token?: string) =>
  (await world.get<Story>(`/v1/stories/${story}`, token)).column.role

describe('Ready stories', { concurrency: true }, () => {
  test('are taken up on their own, where the team has a policy and is not paused', async () => {
    const teams = (await demo.get<Page<Team>>('/v1/teams')).data
    const working = teams.filter(({ paused, policy }) => policy && !paused)
    assert.ok(working.length > 2 && working.length < teams.length)
    for (const { slug } of working) {
      await comesTrue(
        `no story of ${slug} is left in Ready`,
        () => demo.all<StoryListed>(`/v1/teams/${slug}/stories`),
        (stories) => stories.every(({ column }) => column.role !== 'ready'),
      )
    }
    for (const { slug } of teams.filter((team) => !working.includes(team))) {
      const stories = await demo.all<StoryListed>(`/v1/teams/${slug}/stories`)
      assert.ok(
        stories.some(({ column }) => column.role === 'ready'),
        slug,
      )
    }
  })

  test('a paused team starts no new work; running work finishes', async () => {
    const team = (await demo.get<Page<Team>>('/v1/teams')).data.find(({ paused }) => paused)!
    const begun = (await demo.all<Decision>(`/v1/decisions?status=pending&team=${team.slug}`))[0]!
    await answer(demo, begun.key, begun.recommendation, 'Three recorded answers are in the repository now.')
    const finished = await ends(demo, begun.story!.key)
    assert.equal(finished.status, 'succeeded')
    assert.equal(team.policy?.mergePolicy, 'manual')
    assert.equal(await columnOf(demo, begun.story!.key), 'review', 'people merge for themselves')
    const runs = await demo.all<RunListed>(`/v1/runs?team=${team.slug}`)
    const fresh = runs.filter(({ startedAt }) => startedAt === null)
    assert.deepEqual(
      fresh.map(({ status }) => status),
      ['queued'],
    )
    assert.equal(await columnOf(demo, fresh[0]!.story.key), 'ready')
  })
})

describe('A run', { concurrency: true }, () => {
  test('goes through planning, implementing, verifying and handing off, and its story with it', async () => {
    const run = await ends(demo, 'DATA-10')
    assert.deepEqual([run.status, run.stage, run.attempts], ['succeeded', 'handing_off', 1])
    assert.equal(run.executor, 'scripted')
    assert.ok(run.pullRequest && run.costCents > 0 && run.costCents < run.budgetCents)
    assert.deepEqual(run.decisions, [], 'a small change merges unasked')
    const story = await demo.get<Story>('/v1/stories/DATA-10')
    assert.equal(story.column.role, 'done')
    assert.ok(story.acceptanceCriteria.every(({ status, verifiedAt }) => status === 'passed' && verifiedAt))
    assert.deepEqual(
      run.evidence!.criteria.map(({ id }) => id),
      story.acceptanceCriteria.map(({ id }) => id),
    )

    const log = await logOf(run)
    const steps = log.flatMap(({ event, details }) =>
      event === 'run_started' || event === 'run_state_changed' ? [details.stage ?? 'planning'] : [],
    )
    assert.deepEqual(
      steps.filter((stage, at) => stage !== steps[at - 1]),
      ['planning', 'implementing', 'verifying', 'handing_off'],
    )
    const columns = log.flatMap(({ event, details }) =>
      event === 'story_changed' ? (details.changes as { after: string }[]).map(({ after }) => after) : [],
    )
    assert.deepEqual(columns, ['in_progress', 'review', 'done'])
    assert.ok(log.some(({ event }) => event === 'policy_evaluated'))
    assert.ok(log.every(({ actor }) => actor.type === 'service'))
  })

  test('tries again on its own after a failure that passes', async () => {
    const run = await ends(demo, 'ROUTE-7')
    assert.equal(run.status, 'succeeded')
    const failed = run.attemptList.filter(({ failureClass }) => failureClass === 'transient')
    assert.ok(failed.length > 0 && run.attempts > failed.length)
    assert.deepEqual(run.decisions, [])
  })

  test('reworks on its own once when verification fails', async () => {
    const run = await ends(demo, 'ROUTE-16')
    assert.deepEqual(
      run.attemptList.map(({ status, failureClass, verification }) => [
        status,
        failureClass,
        verification?.result,
      ]),
      [
        ['failed', 'gate', 'failed'],
        ['succeeded', null, 'passed'],
      ],
    )
    assert.deepEqual(run.decisions, [])
  })

  test('stops with a question of its agent, goes on with the answer, and asks before it merges', async () => {
    const question = await asks('WEB-17', 'clarification')
    assert.ok(question.options.filter(({ action }) => action === 'answer').length > 1)
    const { id, label } = question.options[0]!
    await answer(demo, question.key, id, 'Support has agreed.')
    const approval = await asks('WEB-17', 'merge_approval')
    assert.equal(await columnOf(demo, 'WEB-17'), 'review')
    const { evidence } = await runOf(demo, 'WEB-17')
    assert.ok(evidence!.gates.some(({ summary }) => summary.includes(`${label}. Support has agreed.`)))
    await answer(demo, approval.key, 'merge')
    const run = await ends(demo, 'WEB-17')
    assert.deepEqual([run.status, run.attempts], ['succeeded', 1])
    assert.deepEqual(
      run.decisions.map(({ kind, status }) => [kind, status]),
      [
        ['merge_approval', 'resolved'],
        ['clarification', 'resolved'],
      ],
    )
    assert.equal(await columnOf(demo, 'WEB-17'), 'done')
  })

  test('has its plan approved, is merged, breaks main, and is taken back', async () => {
    const story = 'FERRY-2'
    const plan = await asks(story, 'plan_approval', otherWorkspace)
    await answer(demo, plan.key, 'changes', 'Show the harbour as well.', otherWorkspace)
    const better = await asks(story, 'plan_approval', otherWorkspace)
    assert.notEqual(better.key, plan.key)
    assert.ok(better.body.includes('Show the harbour as well.'))
    await answer(demo, better.key, 'approve', null, otherWorkspace)
    const approval = await asks(story, 'merge_approval', otherWorkspace)
    await answer(demo, approval.key, 'merge', null, otherWorkspace)

    const revert = await asks(story, 'revert_approval', otherWorkspace)
    assert.match(revert.body, /turned red/)
    assert.equal(revert.recommendation, 'revert')
    await answer(demo, revert.key, 'revert', null, otherWorkspace)
    const run = await ends(demo, story, otherWorkspace)
    assert.deepEqual([run.status, run.failureClass], ['failed', 'persistent'])
    assert.match(run.attemptList[0]!.error!, new RegExp(`#${run.pullRequest!.number} .*#\\d+`))
    assert.notEqual(await columnOf(demo, story, otherWorkspace), 'done')
    const people = new Set(
      (await logOf(run, otherWorkspace))
        .filter(({ event }) => event === 'decision_resolved')
        .map(({ actor }) => actor.name),
    )
    assert.equal(people.size, 1)
  })

  test('what it proposes on the way and is declined is remembered: it is not proposed again', async () => {
    const title = 'Delete the second copy of the map library'
    const proposals = async () =>
      (await demo.all<Decision>('/v1/decisions?team=checkout-web')).filter(
        (decision) => decision.title === title,
      )
    const [proposal] = await comesTrue('it is proposed', proposals, ({ length }) => length > 0)
    assert.deepEqual([proposal!.kind, proposal!.runKey], ['maintenance_proposal', null])
    await answer(demo, proposal!.key, 'decline', 'The licence is settled.')

    const approval = await asks('WEB-35', 'merge_approval')
    await answer(demo, approval.key, 'changes', 'Look at it once more.')
    const again = await asks('WEB-35', 'merge_approval')
    assert.notEqual(again.key, approval.key)
    const { evidence } = await runOf(demo, 'WEB-35')
    assert.ok(evidence!.gates.some(({ summary }) => summary.includes('Look at it once more.')))
    assert.equal((await proposals()).length, 1, 'it was verified twice, and proposed once')
  })
})

// `engine-crash.long.test.ts` kills in each stage of a run; this is the same once more, from the outside.
const rare = { skip: process.env.FAULTS === 'all' ? false : 'npm run test:faults plays it' }

describe('Killed without warning', rare, () => {
  const story = 'ROUTE-11'

  test('a run that was at work is taken up at the next start, and ends as if nothing had been', async () => {
    const data = await temporaryFolder()
    // Slowly enough to be caught at work, twice.
    const pace = { DEMO_PACE: '3' }
    const first = await startDemo({ data, env: pace })
    const { costCents } = await runOf(first, story)
    const caught = await comesTrue(
      'it is at work',
      () => runOf(first, story),
      (run) => run.costCents > costCents,
    )
    assert.equal(caught.status, 'running')
    await first.end('SIGKILL')

    const second = await startDemo({ data, env: pace })
    const after = await runOf(second, story)
    assert.deepEqual([after.key, after.status, after.attempts], [caught.key, 'running', caught.attempts])
    await comesTrue(
      'it is verified',
      () => runOf(second, story),
      ({ stage }) => stage !== caught.stage,
    )
    // An answer that was given counts, whatever happens right after.
    const approval = (await second.all<Decision>('/v1/decisions?status=pending')).findLast(
      ({ kind }) => kind === 'merge_approval',
    )!
    await answer(second, approval.key, 'merge')
    await second.end('SIGKILL')

    const third = await startDemo({ data, env: hurried })
    const run = await ends(third, story)
    assert.deepEqual([run.key, run.status, run.attempts], [caught.key, 'succeeded', caught.attempts])
    assert.equal(await columnOf(third, story), 'done')
    const undisturbed = await ends(demo, story)
    assert.equal(run.costCents, undisturbed.costCents, 'nothing was paid for twice')

    const merged = await ends(third, approval.story!.key)
    assert.deepEqual([merged.key, merged.status], [approval.runKey, 'succeeded'])
    assert.equal(await columnOf(third, approval.story!.key), 'done')
    await comesTrue(
      'every run that began has ended or waits for a person',
      () => third.all<RunListed>('/v1/runs'),
      (runs) =>
        runs
          // A person works on this one, as long as they like.
          .filter(({ story }) => story?.key !== 'WEB-38')
          .every((one) => isOver(one) || one.status === 'waiting' || one.startedAt === null),
    )
    const { code, stdout } = await third.signalbox('verify-audit')
    assert.equal(code, 0, stdout)
  })
})
