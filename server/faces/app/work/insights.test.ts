import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Rework, RunResults, Scoreboard, Spend, Waiting } from '@signalbox/contract/app/insights.ts'
import { reads } from '@signalbox/contract/app/insights.ts'
import { Value } from 'typebox/value'
import type { Context } from '../../../domain/context.ts'
import { housekeeping } from '../../../domain/record/audit/change.ts'
import { testApp } from '../../../test/app.ts'
import { TestClock } from '../../../test/clock.ts'
import { aDecision, aMember, aPolicy, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'

// The sessions of the app live by the real clock, so the facts are laid out around it.
const now = new Date()
const today = now.toISOString().slice(0, 10)
const dayBefore = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)
const noonBefore = (days: number) => (days === 0 ? now : new Date(`${dayBefore(days)}T12:00:00.000Z`))

describe('insights', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  const at = (ctx: Context, days: number): Context => ({
    ...ctx,
    clock: new TestClock(noonBefore(days).toISOString()),
  })

  /** Two teams with runs, spending and decisions of which every number is known. */
  async function facts() {
    const workspace = await aWorkspace(app.storage.db)
    const [red, blue] = [await aTeam(workspace, 'red'), await aTeam(workspace, 'blue')]
    await aPolicy(workspace, red, 'supervised', {
      budgets: { runCents: 500, dayCents: 1_000, monthCents: 20_000 },
    })
    const run = async (
      team: typeof red,
      days: number,
      made: {
        status?: string
        attempts?: number
        micros?: number[]
        answered?: [string, number] | 'waiting'
      },
    ) => {
      const ctx = at(workspace, days)
      const { id, key } = await aRun(ctx, team, await aStory(ctx, team))
      const decision = made.answered ? await aDecision(ctx, team) : null
      await housekeeping(app.storage.db, 'facts for a test', async (tx) => {
        const phase = (made.status ?? 'succeeded') as 'succeeded'
        const where = { workspace_id: workspace.workspaceId, run_id: id }
        const attempts = made.attempts ?? 1
        for (let attempt = 2; attempt <= attempts; attempt += 1)
          await tables(tx)
            .insertInto('attempts')
            .values({ ...where, attempt, status: 'failed', stage: 'verifying', executor: 'scripted' })
            .execute()
        if (made.status !== 'running') {
          await tables(tx)
            .updateTable('runs')
            .set({ phase, wake_at: null, attempts })
            .where('id', '=', id)
            .execute()
          await tables(tx).updateTable('attempts').set({ status: phase }).where('run_id', '=', id).execute()
        }
        for (const [report, micros] of (made.micros ?? []).entries())
          await tables(tx)
            .insertInto('usage_ledger')
            .values({
              ...where,
              team_id: team.id,
              attempt: 1,
              fence: 1,
              report,
              at: noonBefore(days),
              amount: String(micros / 1_000_000),
              currency: 'EUR',
              euro_rate: '1',
              euro_micros: micros,
            })
            .execute()
        if (decision && Array.isArray(made.answered)) {
          const [via, seconds] = made.answered
          await tables(tx)
            .updateTable('decisions')
            .set({
              status: 'resolved',
              resolution_option: 'approve',
              resolved_via: via as 'app',
              resolved_at: new Date(noonBefore(days).getTime() + seconds * 1000),
            })
            .where('id', '=', decision.id)
            .execute()
        }
      })
      return key
    }
    await run(red, 0, { micros: [1_500_000, 250_001], answered: ['app', 60] })
    await run(red, 3, { status: 'failed', attempts: 3, micros: [10_000], answered: ['slack', 600] })
    await run(red, 3, { attempts: 2, answered: ['app', 120] })
    await run(blue, 3, { status: 'stopped', micros: [777_777], answered: 'waiting' })
    await run(blue, 20, { status: 'timed_out', micros: [5_000_000], answered: ['mcp', 86_400] })
    await run(blue, 0, { status: 'running' })
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { read } = await signedIn(app, member)
    const ask = async <T>(name: keyof typeof reads, input: Record<string, string>): Promise<T> => {
      const response = await read(name, input)
      const body = await response.json()
      assert.equal(response.status, 200, JSON.stringify(body))
      assert.ok(Value.Check(reads[name].response, body), JSON.stringify(body))
      return body as T
    }
    return { ask, read }
  }

  test('sum up what happened, day by day, for a member as well', async () => {
    const { ask, read } = await facts()
    const week = { range: '7' }

    const spend = await ask<Spend>('insights.spend', week)
    assert.deepEqual([spend.from, spend.to], [dayBefore(6), today])
    assert.deepEqual(spend.days, [
      { day: dayBefore(3), team: 'blue', micros: 777_777 },
      { day: dayBefore(3), team: 'red', micros: 10_000 },
      { day: today, team: 'red', micros: 1_750_001 },
    ])
    const [, red] = spend.teams
    assert.deepEqual(
      [red!.slug, red!.dayCents, red!.monthCents, red!.dayMicros],
      ['red', 1_000, 20_000, 1_750_001],
    )
    const month = await ask<Spend>('insights.spend', { range: '30' })
    assert.equal(
      month.days.reduce((sum, { micros }) => sum + micros, 0),
      777_777 + 10_000 + 1_750_001 + 5_000_000,
    )
    const thisMonth = month.days.filter(({ day }) => day.startsWith(today.slice(0, 7)))
    for (const { slug, monthMicros } of month.teams)
      assert.equal(
        monthMicros,
        thisMonth.filter(({ team }) => team === slug).reduce((sum, { micros }) => sum + micros, 0),
      )

    const none = { succeeded: 0, failed: 0, timedOut: 0, stopped: 0, open: 0 }
    assert.deepEqual((await ask<RunResults>('insights.runs', week)).days, [
      { ...none, day: dayBefore(3), succeeded: 1, failed: 1, stopped: 1 },
      { ...none, day: today, succeeded: 1, open: 1 },
    ])
    assert.deepEqual((await ask<RunResults>('insights.runs', { range: '30', team: 'blue' })).days, [
      { ...none, day: dayBefore(20), timedOut: 1 },
      { ...none, day: dayBefore(3), stopped: 1 },
      { ...none, day: today, open: 1 },
    ])

    assert.deepEqual((await ask<Rework>('insights.rework', week)).days, [
      { day: dayBefore(3), runs: 3, again: 2 },
      { day: today, runs: 2, again: 0 },
    ])

    const waiting = await ask<Waiting>('insights.waiting', week)
    const { from: _, to: __, ...rest } = waiting
    assert.deepEqual(rest, {
      days: [
        { day: dayBefore(3), channel: 'app', answered: 1 },
        { day: dayBefore(3), channel: 'slack', answered: 1 },
        { day: today, channel: 'app', answered: 1 },
      ],
      channels: [
        { channel: 'app', answered: 2, medianSeconds: 90, totalSeconds: 180 },
        { channel: 'slack', answered: 1, medianSeconds: 600, totalSeconds: 600 },
      ],
      answered: 3,
      medianSeconds: 120,
      totalSeconds: 780,
      stillWaiting: 1,
    })
    assert.equal((await ask<Waiting>('insights.waiting', { range: '90' })).totalSeconds, 780 + 86_400)

    const board = await ask<Scoreboard>('insights.scoreboard', { range: '30', by: 'team' })
    assert.deepEqual(
      board.scores.map(({ name, finished, open }) => [name, finished, open]),
      [
        ['Team blue', 2, 1],
        ['Team red', 1, 2],
      ],
    )

    assert.equal((await read('insights.spend', { range: '8' })).status, 400)
    assert.equal((await read('insights.scoreboard', { range: '30', by: 'mood' })).status, 400)
    assert.equal((await read('insights.runs', { range: '7', team: 'no-such-team' })).status, 404)
  })

  test('of a workspace in which nothing happened are empty', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const { read } = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
    const { 'insights.scoreboard': _, ...daily } = reads
    for (const name of Object.keys(daily)) {
      const { days } = (await (await read(name, { range: '90' })).json()) as { days: unknown[] }
      assert.deepEqual(days, [], name)
    }
    const response = await read('insights.scoreboard', { range: '90', by: 'agent' })
    const { scores, all } = (await response.json()) as Scoreboard
    assert.deepEqual([scores, all], [[], null])
  })
})
