import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ScoreboardQuery } from '@signalbox/contract/app/insights.ts'
import { Scoreboard } from '@signalbox/contract/app/insights.ts'
import { Value } from 'typebox/value'
import { newId } from '../../../infra/ids.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { readScoreboard } from './scoreboard.ts'

const database = await testDatabase()
after(() => database.close())

const now = new Date('2026-06-30T12:00:00.000Z')
const dayMs = 86_400_000
const ago = (days: number) => new Date(now.getTime() - days * dayMs)

interface Made {
  days: number
  /** How it ended; merged, unless something else is said. */
  phase?: 'failed' | 'stopped' | 'succeeded' | 'working'
  events?: { type: string; phase?: string; days?: number }[]
  /** Why each attempt before the last one failed. */
  before?: ('gate' | 'transient')[]
  executor?: 'codex' | 'gemini'
  /** Whose turn it was in each attempt before the last one, in a race. */
  against?: 'gemini'
  models?: [model: string, micros: number][]
  micros?: number
  /** Seconds that each question waited. */
  answers?: number[]
  local?: boolean
  kind?: 'expedite'
  size?: 's'
}

/** A workspace with runs of which every fact is known. */
async function world() {
  const workspace = await aWorkspace(database.db, new TestClock(ago(80).toISOString()))
  const [red, blue] = [await aTeam(workspace, 'red'), await aTeam(workspace, 'blue')]
  const { personId } = await aMember(workspace, 'member')
  const { workspaceId } = workspace
  const serviceId = newId(ago(80))
  const write = (facts: Parameters<typeof housekeeping<void>>[2]) =>
    housekeeping(database.db, 'facts for a test', facts)
  await write(async (tx) => {
    await tables(tx)
      .insertInto('services')
      .values({
        ...{ id: serviceId, workspace_id: workspaceId, team_id: red.id, name: 'Shop' },
        ...{ created_at: ago(80), updated_at: ago(80) },
      })
      .execute()
  })
  const run = async (team: typeof red, made: Made) => {
    const at = ago(made.days)
    const then = { ...workspace, clock: new TestClock(at.toISOString()) }
    const story = await aStory(then, team, {
      ...(made.kind && { classOfService: made.kind }),
      ...(made.size && { size: made.size }),
    })
    const { id, key } = await aRun(then, team, story)
    const asked: string[] = []
    for (const _ of made.answers ?? [])
      asked.push((await aDecision(then, team, { storyId: story.id, run: { id, key } })).id)
    const where = { workspace_id: workspaceId, run_id: id }
    const attempts = (made.before?.length ?? 0) + 1
    const isMerged = !made.phase && !made.events
    const events = isMerged ? [{ type: 'merged', phase: 'watching' }] : (made.events ?? [])
    const phase = made.phase ?? 'succeeded'
    await write(async (tx) => {
      await tables(tx).deleteFrom('work_orders').where('run_id', '=', id).execute()
      const row = { ...where, stage: 'handing_off', executor: made.executor ?? 'codex' } as const
      const last = {
        status: phase === 'working' ? 'running' : phase,
        cost_micros: made.micros ?? 1_000_000,
      } as const
      for (let attempt = 2; attempt <= attempts; attempt += 1)
        await tables(tx)
          .insertInto('attempts')
          .values({ ...row, ...last, attempt })
          .execute()
      await tables(tx)
        .updateTable('attempts')
        .set({ executor: row.executor, ...last })
        .where('run_id', '=', id)
        .execute()
      for (const [index, failure_class] of (made.before ?? []).entries())
        await tables(tx)
          .updateTable('attempts')
          .set({
            ...{ status: 'failed', failure_class, cost_micros: 0 },
            ...(made.against && { executor: made.against }),
          })
          .where('run_id', '=', id)
          .where('attempt', '=', index + 1)
          .execute()
      await tables(tx)
        .updateTable('runs')
        .set({ phase, attempts, pull_request_number: 7, pull_request_url: 'https://git.example.com/7' })
        .where('id', '=', id)
        .execute()
      for (const [index, event] of events.entries())
        await tables(tx)
          .insertInto('run_events')
          .values({
            ...{ ...where, seq: 100 + index, at: ago(event.days ?? made.days), type: event.type, data: '{}' },
            phase: event.phase ?? null,
          })
          .execute()
      for (const [index, [model, euro_micros]] of (made.models ?? []).entries())
        await tables(tx)
          .insertInto('usage_ledger')
          .values({
            ...{ ...where, team_id: team.id, attempt: 1, fence: 1, report: index, at, model, euro_micros },
            ...{ amount: '1', currency: 'EUR', euro_rate: '1' },
          })
          .execute()
      for (const [index, seconds] of (made.answers ?? []).entries())
        await tables(tx)
          .updateTable('decisions')
          .set({
            ...{ status: 'resolved', resolution_option: 'approve', resolved_via: 'app' },
            resolved_at: new Date(at.getTime() + seconds * 1000),
          })
          .where('id', '=', asked[index]!)
          .execute()
      if (made.local)
        await tables(tx)
          .insertInto('local_work')
          .values({ ...where, attempt: attempts, person_id: personId, agent: 'Cursor', begun_at: at })
          .execute()
    })
    return key
  }
  /** An incident whose investigation suspects the merge of a run. */
  const incident = (key: string, suspect: string, days: number, isReverted = false) =>
    write(async (tx) => {
      const id = newId(ago(days))
      await tables(tx)
        .insertInto('incidents')
        .values({
          ...{ id, workspace_id: workspaceId, service_id: serviceId, team_id: red.id, key, title: 'Down' },
          ...{ severity: 'high', worst_alert: 'high', status: 'resolved' },
          ...{ opened_at: ago(days), resolved_at: ago(days) },
          finding: JSON.stringify({ outcome: 'suspect_merge', suspect: { run: suspect } }),
        })
        .execute()
      if (isReverted)
        await tables(tx)
          .insertInto('incident_events')
          .values({
            ...{ workspace_id: workspaceId, incident_id: id, seq: 1, at: ago(days) },
            ...{ type: 'revert_opened', text: '' },
          })
          .execute()
    })
  const read = async (query: Partial<ScoreboardQuery> = {}) => {
    const ctx = { ...workspace, clock: new TestClock(now.toISOString()) }
    const board = await readScoreboard(ctx, { range: '90', by: 'agent', ...query })
    assert.ok(Value.Check(Scoreboard, board), JSON.stringify(board))
    return board
  }
  return { ...{ red, blue, run, incident, read } }
}

test('a scoreboard counts what was merged without rework, reverted and followed by an incident within a week', async () => {
  const { red, blue, run, incident, read } = await world()
  const keys: string[] = []
  for (let index = 1; index <= 9; index += 1)
    keys.push(
      await run(red, {
        days: 20 + index,
        micros: index * 1_000_000,
        answers: index === 1 ? [] : [index * 60, 30],
        models: [
          ['large', 900],
          ['small', 100],
        ],
      }),
    )
  await run(red, { days: 20, before: ['transient'], micros: 50_000_000, models: [['small', 5]] })
  await run(red, { days: 20, before: ['gate'], micros: 60_000_000, kind: 'expedite', size: 's' })
  // Merged three days ago: its week is not over.
  await run(red, { days: 20, events: [{ type: 'merged', phase: 'watching', days: 3 }], micros: 10_000_000 })
  // By people, after the run had ended; and one that they closed.
  await run(red, { days: 20, events: [{ type: 'merged_elsewhere', days: 19 }], micros: 11_000_000 })
  await run(red, { days: 20, events: [{ type: 'closed_elsewhere' }], micros: 3_000_000 })
  await run(red, { days: 20, phase: 'failed', micros: 2_000_000 })
  await run(red, { days: 20, phase: 'stopped', micros: 0 })
  // Of two repositories one was merged into.
  await run(red, { days: 20, phase: 'failed', events: [{ type: 'merged', phase: 'merging' }], micros: 0 })
  await run(red, { days: 2, phase: 'working' })
  await run(red, { days: 2, phase: 'succeeded' })
  await run(blue, { days: 5, executor: 'gemini' })
  await run(blue, { days: 5, executor: 'gemini', local: true })
  // Before the range, and a race of two agents.
  await run(red, { days: 95 })
  await run(red, { days: 20, before: ['gate'], against: 'gemini' })
  const reverted = await run(red, {
    days: 20,
    phase: 'failed',
    events: [
      { type: 'merged', phase: 'watching' },
      { type: 'revert_opened', phase: 'failed' },
    ],
    micros: 12_000_000,
  })
  // Merged 21, 22 and 23 days ago: within a week, within a week and reverted, and a day too late.
  await incident('inc-aaaa', keys[0]!, 15)
  await incident('inc-bbbb', keys[1]!, 16, true)
  await incident('inc-cccc', keys[2]!, 15.9)

  const board = await read()
  assert.deepEqual([board.from, board.to, board.fewest], ['2026-04-02', '2026-06-30', 10])
  assert.deepEqual(
    board.scores.map(({ group }) => group),
    ['codex', 'gemini', 'local'],
  )
  const [codex, gemini] = board.scores
  const { withoutRework, reverted: reverts, incidents, cost, waiting, ...rest } = codex!
  assert.deepEqual(rest, {
    ...{ group: 'codex', name: null, finished: 18, open: 2, merged: 14, answers: 16 },
    spentMicros: (45 + 50 + 60 + 10 + 11 + 3 + 2 + 12) * 1_000_000,
    revertedRuns: [reverted, keys[1]],
    incidentKeys: ['inc-aaaa', 'inc-bbbb'],
  })
  assert.deepEqual([withoutRework.count, withoutRework.of], [13, 18])
  assert.equal(withoutRework.estimate!.low.toFixed(4), '0.4913')
  assert.deepEqual([reverts.count, reverts.of], [2, 14])
  assert.deepEqual([incidents.count, incidents.of], [2, 13])
  // 1 to 9, then 10, 11, 12, 50 and 60.
  assert.deepEqual(cost, { value: 7_500_000, low: 3_000_000, high: 12_000_000 })
  // Six of fourteen waited for no one; the others 150 to 570 seconds.
  assert.deepEqual(waiting, { value: 180, low: 0, high: 450 })
  assert.deepEqual([gemini!.finished, gemini!.withoutRework.estimate, gemini!.cost], [1, null, null])
  assert.deepEqual([board.all!.finished, board.all!.merged], [20, 16])

  const by = async (query: Partial<ScoreboardQuery>) =>
    (await read(query)).scores.map(({ group, name, finished }) => [group, name, finished])
  assert.deepEqual(await by({ by: 'model' }), [
    ['', null, 10],
    ['large', null, 9],
    ['small', null, 1],
  ])
  assert.deepEqual(await by({ by: 'team' }), [
    ['blue', 'Team blue', 2],
    ['red', 'Team red', 18],
  ])
  assert.deepEqual(await by({ by: 'team', team: 'blue' }), [['blue', 'Team blue', 2]])
  assert.deepEqual(await by({ by: 'kind' }), [
    ['expedite', null, 1],
    ['standard', null, 19],
  ])
  assert.deepEqual(await by({ by: 'size', kind: 'expedite' }), [['s', null, 1]])
  assert.deepEqual(await by({ by: 'agent', size: 's' }), [['codex', null, 1]])
  assert.deepEqual((await read({ kind: 'expedite', size: 's', team: 'blue' })).all, null)
})
