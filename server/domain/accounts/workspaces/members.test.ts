import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { listAudit } from '../../record/audit/list.ts'
import { changeWorkspace } from './change.ts'
import { changeRole } from './change-role.ts'
import { removeMember } from './remove-member.ts'

const database = await testDatabase()
after(() => database.close())

test('roles that two people change at once come one after the other, and the log tells both as they were', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { personId } = await aMember(owner, 'member')
  await Promise.all([changeRole(owner, personId, 'admin'), changeRole(owner, personId, 'owner')])
  const [second, first] = (
    await listAudit(owner, { event: 'member_role_changed' }, { limit: 10, after: null })
  ).data.map((entry) => (fromJson(entry).details.changes as { before: string; after: string }[])[0])
  assert.equal(first!.before, 'member')
  assert.equal(second!.before, first!.after)
})

test('a member who is removed twice at once is removed once', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { personId } = await aMember(owner, 'member')
  const both = await Promise.allSettled([removeMember(owner, personId), removeMember(owner, personId)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('a role or a name that is given already is no change', async () => {
  const workspace = await aWorkspace(database.db)
  const owner = await aMember(workspace, 'owner')
  const { personId } = await aMember(owner, 'member')
  await assert.rejects(changeRole(owner, personId, 'member'), { code: 'conflict', message: /has the role/ })
  await assert.rejects(changeWorkspace(owner, { name: ` ${workspace.slug} ` }), { code: 'conflict' })
})
