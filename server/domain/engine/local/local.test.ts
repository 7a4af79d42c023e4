import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { RunListed } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { aMember, aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import { readRun } from '../../work/runs/read.ts'
import { editStory } from '../../work/stories/edit.ts'
import { readStoryPage } from '../../work/stories/read-page.ts'
import { setStoryRepositories } from '../../work/stories/set-repositories.ts'
import { listTeamRows } from '../../work/teams/list-rows.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { beginWork } from './begin.ts'
import { giveBackWork } from './give-back.ts'
import { handOffWork } from './hand-off.ts'
import { reportEvidence } from './report-evidence.ts'
import { reportProgress } from './report-progress.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)
const hour = 3_600_000

const commit = 'c'.repeat(40)
const repository = { name: 'halden/shop', address: '/srv/git/shop.git', branch: 'main' }
const complete = {
  title: 'Show the delivery window',
  description: 'People wait at home all day because nobody tells them when the parcel comes.',
  acceptanceCriteria: ['The page shows the delivery window', 'The window is shown in local time'],
  demonstrate: 'Open an order and read its delivery window',
  size: 's' as const,
}

/** A team that would start the story immediately, were it woken. */
async function aReadyStory(settings: { maxConcurrency?: number; repository?: boolean } = {}) {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  if (settings.repository) await setRepositories(owner, null, team.slug, [repository])
  await aPolicy(owner, team, 'autonomous', { maxConcurrency: settings.maxConcurrency ?? 1 })
  const story = await aStory(owner, team)
  const person = await aMember(owner, 'member')
  return { owner, team, story, person }
}

const runOf = async (ctx: Context, key: string) => fromJson(await readRun(ctx, key))
const storyOf = (ctx: Context, key: string) => readStoryPage(ctx, key)
const auditOf = async (ctx: Context, run: string) =>
  (await listAudit(ctx, { run }, { limit: 100, after: null })).data.map(fromJson)
const pendingOf = async (ctx: Context, run: string) =>
  (await listDecisions(ctx, { status: 'pending', run }, { limit: 100, after: null })).data.map(fromJson)

const stands = ({ status, stage }: RunListed) => [status, stage]

describe('a person works on a story themselves', () => {
  test('the story leaves Ready, the run is theirs, and the team starts nothing on it', async () => {
    const { owner, story, person } = await aReadyStory()
    const begun = await beginWork(person, story.key, { agent: 'claude-code 2.1' })
    await engine.settle()
    await engine.sweep()
    assert.deepEqual(stands(await runOf(owner, begun.run)), ['running', 'implementing'])
    assert.equal((await runOf(owner, begun.run)).executor, 'claude_code')
    const page = await storyOf(owner, story.key)
    assert.equal(page.column.role, 'in_progress')
    assert.deepEqual(page.runKeys, [begun.run])
    assert.deepEqual(
      engine.orders.filter(({ run }) => run === begun.run),
      [],
    )
    const [moved, changed, started] = await auditOf(owner, begun.run)
    assert.equal(started!.event, 'run_started')
    assert.equal(started!.details.local, true)
    assert.equal(started!.actor.name, person.actor.name)
    assert.equal(changed!.details.cause, 'begun_locally')
    assert.equal(moved!.event, 'story_changed')
  })

  test('it takes no slot of the team, which goes on with another story', async () => {
    const { owner, team, story, person } = await aReadyStory({ maxConcurrency: 1 })
    const { run } = await beginWork(person, story.key)
    const other = await aStory(owner, team)
    await engine.sweep()
    await engine.settle()
    assert.deepEqual(stands(await runOf(owner, run)), ['running', 'implementing'])
    const [theirs] = (await storyOf(owner, other.key)).runs
    assert.equal(theirs?.status, 'running')
    const [row] = (await listTeamRows(owner)).map(fromJson)
    assert.equal(row?.running, 1, 'the team shows as many as take a slot')
  })

  test('asked for again by the same person, it is the same run; by another, refused', async () => {
    const { owner, story, person } = await aReadyStory()
    const first = await beginWork(person, story.key)
    assert.equal((await beginWork(person, story.key)).run, first.run)
    await assert.rejects(beginWork(owner, story.key), {
      code: 'conflict',
      message: `Run \`${first.run}\` is working on \`${story.key}\`. Stop it first or let it finish.`,
    })
  })

  test('of a person and the team that want the same story at once, one gets it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { owner, team, story, person } = await aReadyStory()
      const wake = { task: 'team' as const, workspaceId: owner.workspaceId, id: team.id }
      const [begun] = await Promise.allSettled([beginWork(person, story.key), engine.handle(wake)])
      const { runs } = await storyOf(owner, story.key)
      assert.equal(runs.length, 1)
      if (begun.status === 'rejected') assert.equal(begun.reason.code, 'conflict')
      else assert.equal(runs[0]!.key, begun.value.run)
    }
  })

  test('a paused team, a team without a policy, a story outside Ready and a draft are refused', async () => {
    const { owner, team, story, person } = await aReadyStory()
    await pauseTeam(owner, team.slug)
    await assert.rejects(beginWork(person, story.key), {
      message: /^Nothing can be started now\. The team is paused/,
    })
    const bare = await aTeam(owner)
    const inBare = await aStory(owner, bare)
    await assert.rejects(beginWork(person, inBare.key), { message: /The team has no policy\.$/ })
    const backlog = await aStory(owner, team, { column: 'backlog' })
    await assert.rejects(beginWork(person, backlog.key), {
      message: /is in backlog\. Move it to Ready first\.$/,
    })
    const draft = await aStory(owner, team, { draft: true })
    await assert.rejects(beginWork(person, draft.key), { message: /is a draft/ })
    await assert.rejects(beginWork(person, 'NONE-1'), { code: 'story_not_found' })
  })

  test('a team without the money for another run is refused', async () => {
    const { owner, person } = await aReadyStory()
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'autonomous', { budgets: { runCents: 0, dayCents: null, monthCents: null } })
    const story = await aStory(owner, team)
    await assert.rejects(beginWork(person, story.key), { message: /run budget is zero/ })
  })
})

describe('what is reported', () => {
  test('progress and evidence are kept as reported: no criterion passes by them, and the log names the person', async () => {
    const { owner, story, person } = await aReadyStory()
    await editStory(owner, story.key, complete)
    const { run } = await beginWork(person, story.key)
    const [criterion] = (await storyOf(owner, story.key)).acceptanceCriteria
    await reportProgress(person, run, { stage: 'planning', message: 'Reading the code' })
    const { openCriteria } = await reportEvidence(person, run, {
      criteria: [{ id: criterion!.id, result: 'passed', proof: 'I saw it' }],
      commands: [{ command: 'npm test', exitCode: 0, outputTail: '12 passed\0' }],
    })
    assert.ok(!openCriteria.some(({ id }) => id === criterion!.id))
    const { acceptanceCriteria } = await storyOf(owner, story.key)
    assert.ok(acceptanceCriteria.every(({ status }) => status === 'unverified'))
    assert.equal((await runOf(owner, run)).evidence, null)
    const reports = (await auditOf(owner, run)).filter(({ event }) => event === 'local_work_reported')
    assert.deepEqual(
      reports.map(({ actor, details }) => [actor.name, details.report]),
      [
        [person.actor.name, 'evidence'],
        [person.actor.name, 'progress'],
      ],
    )
  })

  test('evidence for a criterion that the story does not have is refused', async () => {
    const { story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    const criteria = [{ id: 'none', result: 'passed' as const, proof: '' }]
    await assert.rejects(reportEvidence(person, run, { criteria }), { code: 'invalid_request' })
  })

  test('only the person who has the story reports on it, and no one on a run of the team', async () => {
    const { owner, team, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    await assert.rejects(reportProgress(owner, run, { message: 'x' }), {
      code: 'conflict',
      message: /not you/,
    })
    const other = await aStory(owner, team)
    await engine.sweep()
    await engine.settle()
    const [theirs] = (await storyOf(owner, other.key)).runKeys
    await assert.rejects(reportProgress(person, theirs!, { message: 'x' }), { code: 'conflict' })
  })
})

describe('giving up', () => {
  test('given back, the story returns to Ready and says so, and the team takes it', async () => {
    const { owner, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    await giveBackWork(person, run, { reason: 'I am on holiday' })
    const page = await storyOf(owner, story.key)
    assert.equal(page.column.role, 'ready')
    assert.equal(page.returnedNote, `Given back by ${person.actor.name}: I am on holiday`)
    assert.equal((await runOf(owner, run)).status, 'stopped')
    await engine.settle()
    const { runs } = await storyOf(owner, story.key)
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['running', 'stopped'],
    )
  })

  test('an admin can give it back for them, another member cannot', async () => {
    const { owner, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    const another = await aMember(owner, 'member')
    await assert.rejects(giveBackWork(another, run), { code: 'insufficient_role' })
    await giveBackWork(await aMember(owner, 'admin'), run)
    assert.equal((await runOf(owner, run)).status, 'stopped')
  })

  test('without a report for a day it returns to Ready; each report gives another day', async () => {
    const { owner, team, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    await pauseTeam(owner, team.slug)
    engine.clock.forward(23 * hour)
    await engine.sweep()
    await reportProgress(person, run, { message: 'Still here' })
    engine.clock.forward(23 * hour)
    await engine.sweep()
    assert.equal((await runOf(owner, run)).status, 'running')
    engine.clock.forward(hour)
    // The first sweep after a long gap spares people who could not reach the server.
    await engine.sweep()
    engine.clock.forward(61_000)
    await engine.sweep()
    assert.equal((await runOf(owner, run)).status, 'timed_out')
    const page = await storyOf(owner, story.key)
    assert.equal(page.column.role, 'ready')
    assert.equal(page.returnedNote, `${person.actor.name} worked on it and has not reported for 24 hours.`)
  })

  test('stopped by a person, the story stays where it is and nothing more can be reported', async () => {
    const { owner, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    await stopRun(owner, run, { confirmed: true })
    assert.equal((await storyOf(owner, story.key)).column.role, 'in_progress')
    await assert.rejects(reportProgress(person, run, { message: 'x' }), { code: 'conflict' })
    await assert.rejects(handOffWork(person, run, { summary: 'x', branch: 'mine', commit }), {
      code: 'conflict',
    })
  })
})

describe('handing off', () => {
  test('without a repository a person is asked, and told why no one can verify it', async () => {
    const { owner, story, person } = await aReadyStory()
    const { run } = await beginWork(person, story.key)
    const handed = await handOffWork(person, run, { summary: 'Done', branch: 'mine', commit })
    assert.equal(handed.status, 'waiting')
    const [decision] = await pendingOf(owner, run)
    assert.equal(decision!.key, handed.decision)
    assert.equal(decision!.kind, 'verification_failed')
    assert.match(decision!.body, /^The team has no repository, so no runner can run the gates\./)
    await resolveDecision(owner, { key: decision!.key, optionId: 'retry' })
    await engine.settle()
    const { attempts, status, executor } = await runOf(owner, run)
    assert.deepEqual([attempts, status, executor], [2, 'running', 'scripted'])
  })

  test('with a repository and a pushed branch the run goes on: a runner is to bring it in', async () => {
    const { owner, story, person } = await aReadyStory({ repository: true })
    const { run } = await beginWork(person, story.key, { agent: 'codex' })
    const handed = await handOffWork(person, run, { summary: 'Done', branch: 'mine', commit })
    assert.deepEqual([handed.status, handed.decision], ['queued', null])
    assert.equal((await runOf(owner, run)).executor, 'codex')
    await assert.rejects(handOffWork(person, run, { summary: 'Again', branch: 'mine', commit }), {
      message: /was already handed off/,
    })
  })

  test('of several repositories those of the story are listed, and a branch is brought in from the one that is named', async () => {
    const { owner, team, story, person } = await aReadyStory()
    const named = (name: string) => ({
      ...repository,
      name,
      address: `/srv/git/${name}.git`,
      branch: `${name}-main`,
    })
    await setRepositories(owner, null, team.slug, ['api', 'docs', 'web'].map(named))
    await setStoryRepositories(owner, story.key, ['api', 'web'])
    const begun = await beginWork(person, story.key)
    assert.deepEqual(begun.repositories, [named('api'), named('web')])
    assert.deepEqual(begun.repository, named('api'))
    const { run } = begun
    const done = { summary: 'Done', branch: 'mine', commit }
    await assert.rejects(handOffWork(person, run, done), {
      code: 'invalid_request',
      message: 'Say in `repository` where you pushed it: api, web.',
    })
    await assert.rejects(
      handOffWork(person, run, { ...done, repository: 'docs' }),
      /isn’t about the repository docs/,
    )
    await assert.rejects(
      handOffWork(person, run, { ...done, repository: 'web', branch: 'web-main' }),
      /merged into/,
    )
    await handOffWork(person, run, { ...done, repository: 'web' })
    const { rows } = await database.pool.query(
      'select memory from runs where key = $1 and workspace_id = $2',
      [run, owner.workspaceId],
    )
    assert.deepEqual([rows[0].memory.at, rows[0].memory.parts], ['web', []], 'a run in that repository')
  })

  test('with a repository and only the address of a pull request there is nothing to check out', async () => {
    const { owner, story, person } = await aReadyStory({ repository: true })
    const { run } = await beginWork(person, story.key)
    const pullRequestUrl = 'https://git.example.com/pull/7'
    const handed = await handOffWork(person, run, { summary: 'Done', pullRequestUrl })
    assert.equal(handed.status, 'waiting')
    assert.match((await pendingOf(owner, run))[0]!.body, /^No branch and commit were named/)
    // The address is only what the person said: nothing is merged by it.
    assert.equal((await runOf(owner, run)).pullRequest, null)
  })

  test('the branch that changes are merged into is no branch of a person’s, nor is what git would refuse', async () => {
    const { story, person } = await aReadyStory({ repository: true })
    const { run } = await beginWork(person, story.key)
    for (const branch of ['main', '--upload-pack=x', 'a..b'])
      await assert.rejects(handOffWork(person, run, { summary: 'x', branch, commit }), {
        code: 'invalid_request',
      })
  })
})
