import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { change } from '../../record/audit/change.ts'
import { readBoard } from '../../work/stories/board.ts'
import { listStoryRows } from '../../work/stories/list-rows.ts'
import { moveStory } from '../../work/stories/move.ts'
import { readStoryPage } from '../../work/stories/read-page.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { retryRun } from '../lifecycle/retry.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { dispatchTeam } from '../supervision/dispatch.ts'
import { readObstacles } from './read-obstacles.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)

/** The situations that a team and its one Ready story can be in. */
interface Situation {
  policy: boolean
  paused: boolean
  serving: boolean
  slots: number
  working: number
  budgets: { runCents: number | null; dayCents: number | null; monthCents: number | null }
  story: { draft: boolean; readinessScore: number }
}

const free: Situation = {
  policy: true,
  paused: false,
  serving: true,
  slots: 2,
  working: 0,
  budgets: { runCents: 500, dayCents: 1_000, monthCents: null },
  story: { draft: false, readinessScore: 100 },
}

/** What the app says of the story, wherever it shows it, and whether dispatching takes it. */
async function observed(situation: Situation): Promise<{ named: Obstacle[]; isTaken: boolean }> {
  const { policy, paused, slots, working, budgets, story, serving } = situation
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const work = { serves: () => serving }
  const dispatch = (all = work) => dispatchTeam(engine.service(owner.workspaceId), team.id, all)
  if (policy) {
    // What is at work was begun under a policy that let it.
    await aPolicy(owner, team, 'autonomous', {
      maxConcurrency: 9,
      budgets: { runCents: 500, dayCents: null, monthCents: null },
    })
    for (let n = 0; n < working; n += 1) await aStory(owner, team)
    assert.equal(await dispatch({ serves: () => true }), working)
    await aPolicy(owner, team, 'autonomous', { maxConcurrency: slots, budgets })
  }
  if (paused) await pauseTeam(owner, team.slug)
  const { key } = await aStory(owner, team, story)
  const obstacles = await readObstacles(owner, work, { team: team.slug })
  assert.deepEqual(await readObstacles(owner, work, { story: key }), obstacles)
  const { heldBy, runs } = await readStoryPage(owner, key, obstacles)
  const filter = { team: team.slug, drafts: true }
  const cards = (await readBoard(owner, filter, obstacles)).map(fromJson).flatMap(({ stories }) => stories)
  const rows = (await listStoryRows(owner, filter, { limit: 50, after: null }, obstacles)).data.map(fromJson)
  for (const shown of [cards, rows])
    assert.deepEqual(shown.find((one) => one.key === key)?.heldBy, heldBy, 'page, card and row agree')
  assert.deepEqual(runs, [])
  await dispatch()
  return { named: heldBy, isTaken: (await readStoryPage(owner, key)).runs.length === 1 }
}

const cases: [says: string, Partial<Situation>, by: Obstacle['by'], reason: RegExp][] = [
  ['the team has no policy', { policy: false }, 'policy', /^The team has no policy\.$/],
  ['the team is paused', { paused: true }, 'pause', /^The team is paused\.$/],
  ['the team has no repository', { serving: false }, 'repository', /^The team has no repository\.$/],
  ['no slot is free', { slots: 1, working: 1 }, 'slots', /1 of 1 in use/],
  [
    'the money of the day is reserved',
    { working: 1, budgets: { runCents: 600, dayCents: 1_000, monthCents: null } },
    'money',
    /left of the €10 for this day/,
  ],
  [
    'the money of the month is reserved',
    { working: 1, budgets: { runCents: 600, dayCents: null, monthCents: 1_000 } },
    'money',
    /left of the €10 for this month/,
  ],
  [
    'a run may spend nothing',
    { budgets: { runCents: 0, dayCents: null, monthCents: null } },
    'budget',
    /run budget is zero/,
  ],
  [
    'it is not ready enough',
    { story: { draft: false, readinessScore: 75 } },
    'readiness',
    /readiness is 75 of 100/,
  ],
  ['it is a draft', { story: { draft: true, readinessScore: 100 } }, 'draft', /is a draft/],
]
for (const [says, situation, by, reason] of cases)
  test(`a Ready story that is not taken says why: ${says}`, async () => {
    const { named, isTaken } = await observed({ ...free, ...situation })
    assert.deepEqual(
      named.map((obstacle) => obstacle.by),
      [by],
    )
    assert.match(named[0]!.reason, reason)
    assert.equal(isTaken, false)
  })

test('a story that nothing is said about is taken', async () => {
  assert.deepEqual(await observed(free), { named: [], isTaken: true })
})

test('however a team stands, its story is taken exactly when nothing is named', async () => {
  const cents = fc.constantFrom(null, 0, 400, 500, 900, 1_000)
  const situation: fc.Arbitrary<Situation> = fc.record({
    policy: fc.boolean(),
    paused: fc.boolean(),
    serving: fc.boolean(),
    slots: fc.constantFrom(1, 2, 3),
    working: fc.constantFrom(0, 1, 2),
    // A run that may cost more than its day or month is refused with the policy.
    budgets: fc
      .record({ runCents: cents, dayCents: cents, monthCents: cents })
      .filter(({ runCents, dayCents, monthCents }) =>
        [dayCents, monthCents].every((most) => (runCents ?? 0) <= (most ?? Number.POSITIVE_INFINITY)),
      ),
    story: fc.record({ draft: fc.boolean(), readinessScore: fc.constantFrom(75, 100, 100) }),
  })
  const mostly = fc.record({
    base: situation,
    // All at random, hardly any is free.
    keep: fc.subarray(Object.keys(free) as (keyof Situation)[]),
  })
  await fc.assert(
    fc.asyncProperty(mostly, async ({ base, keep }) => {
      const kept = Object.fromEntries(keep.map((name) => [name, free[name]]))
      const { named, isTaken } = await observed({ ...base, ...kept })
      assert.equal(isTaken, named.length === 0, JSON.stringify(named))
    }),
    { numRuns: 25, seed: 29 },
  )
})

test('a story whose run waits for its turn says what the run waits for', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous')
  const story = await aStory(owner, team)
  await engine.settle()
  const { runs } = await readStoryPage(owner, story.key)
  await stopRun(owner, runs[0]!.key, { confirmed: true })
  await change(owner, async (tx) => {
    await moveStory(owner, tx, story.id, 'ready')
    return { value: undefined, audit: [] }
  })
  await retryRun(owner, runs[0]!.key)
  engine.serving = false
  await engine.settle()
  const { heldBy } = await readStoryPage(owner, story.key)
  assert.deepEqual(
    heldBy.map(({ by }) => by),
    ['run'],
  )
  assert.match(heldBy[0]!.reason, /^The team has no repository\.$/)
})
