import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Role } from '@signalbox/contract/roles.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDecision, aMember, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { listAudit } from '../../record/audit/list.ts'
import { editStory } from '../stories/edit.ts'
import { countPending } from './count-pending.ts'
import { listDecisionRows } from './list-rows.ts'
import { readDecisionPage } from './read-page.ts'
import { snoozeDecision } from './snooze.ts'
import { unsnoozeDecision } from './unsnooze.ts'

const database = await testDatabase()
after(() => database.close())

const hour = 3_600_000

async function anInbox(role: Role = 'member') {
  const clock = new TestClock()
  const workspace = await aWorkspace(database.db, clock)
  const [me, other] = [await aMember(workspace, role), await aMember(workspace, 'owner')]
  const team = await aTeam(workspace)
  const story = await aStory(workspace, team)
  const { key } = await aDecision(workspace, team, { storyId: story.id })
  return { clock, workspace, me, other, team, story, key, later: new Date(clock.now().getTime() + hour) }
}

const keysOf = async (ctx: Context, snoozed: boolean) =>
  (await listDecisionRows(ctx, { status: 'pending', snoozed }, { limit: 50, after: null })).data
    .map(fromJson)
    .map(({ key }) => key)

const countOf = async (ctx: Context) => fromJson(await countPending(ctx))

test('a snoozed decision is out of one person’s inbox and badge alone, until its time has come', async () => {
  const { clock, me, other, key, later } = await anInbox()
  await snoozeDecision(me, me.personId, key, later)
  assert.deepEqual([await keysOf(me, false), await keysOf(me, true)], [[], [key]])
  assert.deepEqual([await keysOf(other, false), await keysOf(other, true)], [[key], []])
  const { pending, mine, snoozed, wakesAt, kinds, teams } = await countOf(me)
  assert.deepEqual([pending, mine, snoozed, wakesAt, kinds], [0, 0, 1, later.toISOString(), []])
  assert.deepEqual(
    teams.map((team) => team.pending),
    [0],
  )
  const theirs = await countOf(other)
  assert.deepEqual([theirs.pending, theirs.snoozed, theirs.wakesAt], [1, 0, null])
  assert.equal((await readDecisionPage(me, null, key)).decision.snoozedUntil, later.toISOString())
  assert.equal((await readDecisionPage(other, null, key)).decision.snoozedUntil, null)

  clock.forward(hour)
  assert.deepEqual([await keysOf(me, false), await keysOf(me, true)], [[key], []])
  assert.deepEqual([(await countOf(me)).mine, (await countOf(me)).wakesAt], [1, null])
})

test('it is back before its time once the decision says something else, or the person wants it back', async () => {
  const { me, story, key, later } = await anInbox()
  await snoozeDecision(me, me.personId, key, later)
  await editStory(me, story.key, { title: 'Another title, which the decision names' })
  assert.deepEqual(await keysOf(me, false), [key])

  await snoozeDecision(me, me.personId, key, later)
  assert.deepEqual(await keysOf(me, false), [])
  await unsnoozeDecision(me, me.personId, key)
  await unsnoozeDecision(me, me.personId, key)
  assert.deepEqual(await keysOf(me, false), [key])
  const operator: Context = { ...me, actor: { type: 'system', name: 'test' } }
  const entries = (await listAudit(operator, { event: 'decision_snoozed' }, { limit: 9, after: null })).data
    .map(fromJson)
    .map(({ actor, entity, details }) => [actor.userId, entity.id, details.until])
  assert.deepEqual(entries, [
    [me.personId, key, null],
    [me.personId, key, later.toISOString()],
    [me.personId, key, later.toISOString()],
  ])
})

test('nothing is snoozed into the past, beyond 90 days or beyond its own deadline', async () => {
  const { clock, workspace, team, me, key } = await anInbox()
  const at = (ms: number) => new Date(clock.now().getTime() + ms)
  const refused = (until: Date, message: RegExp, which = key) =>
    assert.rejects(snoozeDecision(me, me.personId, which, until), { code: 'invalid_parameter', message })
  await refused(at(0), /in the future/)
  await refused(at(91 * 24 * hour), /90 days/)
  const due = await aDecision(workspace, team, { expiresAt: at(2 * hour) })
  await refused(at(2 * hour), /expires at .* earlier time/, due.key)
  await snoozeDecision(me, me.personId, due.key, at(hour))
  await assert.rejects(snoozeDecision(me, me.personId, 'dec-0000', at(hour)), { code: 'decision_not_found' })
})

test('the badge counts what a person may answer', async () => {
  const { workspace, team, me, other } = await anInbox('member')
  await aDecision(workspace, team, { kind: 'budget_stop', authority: 'admin' })
  const { pending, mine } = await countOf(me)
  assert.deepEqual([pending, mine], [2, 1])
  assert.equal((await countOf(other)).mine, 2)
})
