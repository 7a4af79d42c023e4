import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { changePolicy } from './change.ts'
import { listPolicyVersions } from './list-versions.ts'
import { readPolicy } from './read.ts'
import { restorePolicy } from './restore.ts'

const database = await testDatabase()
after(() => database.close())

async function anAdminWithATeam() {
  const workspace = await aWorkspace(database.db)
  const admin = await aMember(workspace, 'admin')
  return { workspace, admin, slug: (await aTeam(admin)).slug }
}

test('every version is listed, newest first, with who, why and what changed', async () => {
  const { workspace, admin, slug } = await anAdminWithATeam()
  const member = await aMember(workspace, 'member')
  await changePolicy(admin, slug, { preset: 'trial' })
  await changePolicy(admin, slug, {
    preset: 'trial',
    departures: { maxConcurrency: 2 },
    reason: 'Two a day.',
  })
  const { data, next } = await listPolicyVersions(member, slug, { limit: 10, after: null })
  const [second, first] = data.map(fromJson)
  assert.equal(next, null)
  assert.deepEqual(
    [second?.version, second?.by, second?.reason, second?.maxConcurrency],
    [2, 'A admin', 'Two a day.', 2],
  )
  assert.deepEqual(second?.changes, [{ field: 'maxConcurrency', before: 1, after: 2 }])
  assert.deepEqual([first?.version, first?.reason], [1, null])
  const page = await listPolicyVersions(member, slug, { limit: 1, after: null })
  assert.ok(page.next)
  const rest = await listPolicyVersions(member, slug, { limit: 1, after: page.next })
  assert.deepEqual([fromJson(rest.data[0]!).version, rest.next], [1, null])
})

test('an older version comes back as a new one', async () => {
  const { admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'balanced', departures: { deniedPaths: ['infra/**'] } })
  const before = await readPolicy(admin, slug)
  await changePolicy(admin, slug, { preset: 'autonomous' })
  const restored = await restorePolicy(admin, slug, 1)
  assert.deepEqual(restored, { ...before, version: 3 })
  const [newest] = (await listPolicyVersions(admin, slug, { limit: 1, after: null })).data.map(fromJson)
  assert.equal(newest?.reason, 'Version 1 restored')
  await assert.rejects(restorePolicy(admin, slug, 9), { code: 'invalid_request' })
  await assert.rejects(restorePolicy(admin, slug, 1), { code: 'conflict' })
})

test('a change that was based on an older version is refused, and the first keeps theirs', async () => {
  const { workspace, admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'trial', basedOn: 0 })
  await changePolicy(admin, slug, { preset: 'balanced', basedOn: 1 })
  await assert.rejects(changePolicy(admin, slug, { preset: 'autonomous', basedOn: 1 }), {
    code: 'changed_meanwhile',
    message: /version 2 is current, not version 1\. Read it again/,
  })
  await assert.rejects(restorePolicy(admin, slug, 1, { basedOn: 1 }), { code: 'changed_meanwhile' })
  await assert.rejects(restorePolicy(await aMember(workspace, 'member'), slug, 1), {
    code: 'insufficient_role',
  })
  assert.equal((await readPolicy(admin, slug))?.preset, 'balanced')
})
