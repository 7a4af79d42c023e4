import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { createService } from '../../on-call/services/create.ts'
import { deleteService } from '../../on-call/services/delete.ts'
import { listAudit } from '../../record/audit/list.ts'
import { countPending } from '../decisions/count-pending.ts'
import { readDecision } from '../decisions/read.ts'
import { createTeam } from '../policies/create-team.ts'
import { readBoard } from '../stories/board.ts'
import { editStory } from '../stories/edit.ts'
import { changeTeam } from './change.ts'
import { listTeams } from './list.ts'
import { listTeamRows, readTeamRow } from './list-rows.ts'
import { pauseTeam } from './pause.ts'
import { readTeam } from './read.ts'

const database = await testDatabase()
after(() => database.close())

const entries = async (ctx: Context, limit: number) =>
  (await listAudit(ctx, {}, { limit, after: null })).data.map(fromJson)

const input = { name: 'Checkout', slug: 'checkout', keyPrefix: 'WEB', preset: 'supervised' } as const

test('a new team has six columns and a first policy, each with its entry', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  await createTeam(admin, { ...input, description: ' Sells parcels. ' })
  const team = fromJson(await readTeamRow(admin, 'checkout'))
  assert.deepEqual(
    [team.name, team.description, team.keyPrefix, team.policy?.preset, team.policy?.version],
    ['Checkout', 'Sells parcels.', 'WEB', 'supervised', 1],
  )
  const board = (await readBoard(admin, { team: 'checkout', drafts: false })).map(fromJson)
  assert.deepEqual(
    board.map(({ name }) => name),
    ['Backlog', 'Refining', 'Ready', 'In progress', 'Review', 'Done'],
  )
  assert.deepEqual((await entries(admin, 2)).map(({ event }) => event).toSorted(), [
    'policy_changed',
    'team_created',
  ])
})

test('a slug and a key prefix belong to one team; members make none', async () => {
  const workspace = await aWorkspace(database.db)
  const admin = await aMember(workspace, 'admin')
  await createTeam(admin, input)
  await assert.rejects(createTeam(admin, { ...input, keyPrefix: 'SHOP' }), {
    code: 'conflict',
    message: /team `checkout`/,
  })
  await assert.rejects(createTeam(admin, { ...input, slug: 'shop' }), { code: 'conflict', message: /WEB-/ })
  await assert.rejects(createTeam(admin, { ...input, slug: 'Shop', keyPrefix: 'S' }), {
    code: 'invalid_request',
  })
  await assert.rejects(
    createTeam(await aMember(workspace, 'member'), { ...input, slug: 'x', keyPrefix: 'X' }),
    {
      code: 'insufficient_role',
    },
  )
})

test('of two teams that are made at once with one key prefix, the second is told of the prefix', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  const both = await Promise.allSettled(
    ['checkout', 'shop'].map((slug) => createTeam(admin, { ...input, slug })),
  )
  const refused = both.filter((one) => one.status === 'rejected').map(({ reason }) => reason)
  assert.deepEqual(
    refused.map(({ code }) => code),
    ['conflict'],
  )
  assert.match(refused[0].message, /WEB-/)
})

test('a team is renamed with before and after in its entry', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  await createTeam(admin, input)
  await changeTeam(admin, 'checkout', { name: 'Checkout web', description: '' })
  assert.equal(fromJson(await readTeam(admin, 'checkout')).name, 'Checkout web')
  const [entry] = await entries(admin, 1)
  assert.equal(entry?.event, 'team_changed')
  assert.deepEqual(entry?.details.changes, [{ field: 'name', before: 'Checkout', after: 'Checkout web' }])
  await assert.rejects(changeTeam(admin, 'checkout', { name: 'Checkout web' }), { code: 'conflict' })
})

test('the overview says who paused a team and why, what runs, what waits and what lies where', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  const team = await aTeam(admin)
  const story = await aStory(admin, team, { column: 'in_progress' })
  await aStory(admin, team, { column: 'done' })
  await aStory(admin, team, { column: 'refining', draft: true })
  const run = await aRun(admin, team, story)
  await aRun(admin, team, await aStory(admin, team, { column: 'in_progress' }))
  await aDecision(admin, team, { storyId: story.id, run })
  await pauseTeam(admin, team.slug, 'release week')
  const [seen] = (await listTeamRows(admin)).map(fromJson)
  assert.equal(seen?.pause?.by, 'A admin')
  assert.equal(seen?.pause?.reason, 'release week')
  assert.deepEqual(
    [seen?.running, seen?.waiting, seen?.spentDayCents, seen?.spentMonthCents, seen?.drafts],
    [1, 1, 0, 0, 1],
  )
  assert.deepEqual(seen?.stories, { backlog: 0, refining: 0, ready: 0, in_progress: 2, review: 0, done: 1 })
})

test('a team with work in hand or with services is not deleted, and the refusal names them', async () => {
  const workspace = await aWorkspace(database.db)
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const run = await aRun(owner, team, await aStory(owner, team))
  await assert.rejects(deleteTeam(await aMember(workspace, 'admin'), team.slug), {
    code: 'insufficient_role',
  })
  await assert.rejects(deleteTeam(owner, team.slug), { code: 'conflict', message: new RegExp(run.key) })
  await stopRun(owner, run.key, { confirmed: true })
  const service = fromJson(await createService(owner, { name: 'Checkout API', team: team.slug }))
  await assert.rejects(deleteTeam(owner, team.slug), { code: 'conflict', message: /Checkout API/ })
  await deleteService(owner, service.id)
  await deleteTeam(owner, team.slug)
})

test('a deleted team is found no more, asks nothing, and no one gets its slug', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await createTeam(owner, input)
  const team = {
    ...(await createTeam(owner, { ...input, slug: 'other', keyPrefix: 'OTH' })),
    keyPrefix: 'OTH',
  }
  const story = await aStory(owner, team)
  const decision = await aDecision(owner, team, { storyId: story.id })
  await deleteTeam(owner, 'other')
  assert.deepEqual(
    (await listTeams(owner)).map((json) => fromJson(json).slug),
    ['checkout'],
  )
  await assert.rejects(readTeam(owner, 'other'), { code: 'team_not_found' })
  await assert.rejects(readBoard(owner, { team: 'other', drafts: false }), { code: 'team_not_found' })
  await assert.rejects(editStory(owner, story.key, { size: 's' }), { code: 'story_not_found' })
  assert.equal(fromJson(await readDecision(owner, decision.key)).status, 'cancelled')
  assert.deepEqual(
    fromJson(await countPending(owner)).teams.map(({ slug }) => slug),
    ['checkout'],
  )
  await assert.rejects(createTeam(owner, { ...input, slug: 'other', keyPrefix: 'NEW' }), {
    code: 'conflict',
  })
  assert.deepEqual((await entries(owner, 2)).map(({ event }) => event).toSorted(), [
    'decision_cancelled',
    'team_deleted',
  ])
})
