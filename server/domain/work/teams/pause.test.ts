import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { listAudit } from '../../record/audit/list.ts'
import { pauseTeam } from './pause.ts'
import { readTeam } from './read.ts'
import { resumeTeam } from './resume.ts'

const database = await testDatabase()
after(() => database.close())

const events = async (ctx: Context) =>
  (await listAudit(ctx, {}, { limit: 10, after: null })).data.map((entry) => fromJson(entry).event)

test('a team is paused once and resumed once, each with its entry', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  const { slug } = await aTeam(admin)
  await pauseTeam(admin, slug, 'release week')
  assert.equal(fromJson(await readTeam(admin, slug)).paused, true)
  await assert.rejects(pauseTeam(admin, slug), { code: 'conflict' })
  await resumeTeam(admin, slug)
  assert.equal(fromJson(await readTeam(admin, slug)).paused, false)
  await assert.rejects(resumeTeam(admin, slug), { code: 'conflict' })
  assert.deepEqual((await events(admin)).slice(0, 2), ['team_resumed', 'team_paused'])
})

test('of many who pause a team at once, one does', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  const { slug } = await aTeam(admin)
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => pauseTeam(admin, slug)))
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await events(admin)).filter((event) => event === 'team_paused').length, 1)
})

test('a member may neither pause nor resume, and another workspace’s team is not there', async () => {
  const workspace = await aWorkspace(database.db)
  const member = await aMember(workspace, 'member')
  const { slug } = await aTeam(workspace)
  await assert.rejects(pauseTeam(member, slug), { code: 'insufficient_role' })
  await assert.rejects(resumeTeam(member, slug), { code: 'insufficient_role' })
  await assert.rejects(pauseTeam(await aWorkspace(database.db), slug), { code: 'team_not_found' })
})
