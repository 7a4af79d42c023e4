import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Member } from '@signalbox/contract/app/members.ts'
import type { Token } from '@signalbox/contract/app/tokens.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { addPerson } from '../../../domain/accounts/workspaces/add-person.ts'
import { testApp } from '../../../test/app.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { aMember, aToken, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { until } from '../../../test/until.ts'

describe('members in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function people(...roles: Role[]) {
    const workspace = await aWorkspace(app.storage.db)
    return Promise.all(
      roles.map(async (role) => {
        const member = { ...(await aMember(workspace, role)), slug: workspace.slug }
        return { ...member, ...(await signedIn(app, member)) }
      }),
    )
  }
  const listed = async (by: { read: (name: string) => Promise<Response> }) =>
    ((await (await by.read('members.list')).json()) as { data: Member[] }).data
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error?: { code: string } }).error?.code

  test('everyone sees who is there; who was last seen and how many tokens is for owners and admins', async () => {
    const [owner, member] = await people('owner', 'member')
    await aToken(member!)
    const listedMember = (await listed(owner!)).find(({ id }) => id === member!.personId)!
    assert.equal(listedMember.role, 'member')
    assert.equal(listedMember.activeTokens, 1)
    assert.ok(listedMember.lastSeenAt)
    const seen = await listed(member!)
    assert.equal(seen.length, 2)
    assert.ok(seen.every(({ lastSeenAt, activeTokens }) => lastSeenAt === null && activeTokens === null))
  })

  test('a member can neither invite, nor change a role, nor remove anyone', async () => {
    const [owner, member] = await people('owner', 'member')
    for (const response of [
      await member!.write('members.invite', { email: 'new@example.com', role: 'member' }),
      await member!.write('members.changeRole', { id: member!.personId, role: 'owner' }),
      await member!.write('members.remove', { id: owner!.personId }),
      await member!.read('members.invitations'),
    ]) {
      assert.equal(response.status, 403)
      assert.equal(await codeOf(response), 'insufficient_role')
    }
  })

  test('an admin cannot make an owner, nor take the role from one, nor remove one', async () => {
    const [owner, admin] = await people('owner', 'admin', 'owner')
    for (const response of [
      await admin!.write('members.invite', { email: 'new@example.com', role: 'owner' }),
      await admin!.write('members.changeRole', { id: admin!.personId, role: 'owner' }),
      await admin!.write('members.changeRole', { id: owner!.personId, role: 'member' }),
      await admin!.write('members.remove', { id: owner!.personId }),
    ]) {
      assert.equal(response.status, 403)
    }
  })

  test('the last owner stays, in that role', async () => {
    const [owner, admin] = await people('owner', 'admin')
    for (const response of [
      await owner!.write('members.changeRole', { id: owner!.personId, role: 'member' }),
      await owner!.write('members.remove', { id: owner!.personId }),
      await owner!.write('workspaces.leave'),
    ]) {
      assert.equal(response.status, 409)
    }
    const made = await owner!.write('members.changeRole', { id: admin!.personId, role: 'owner' })
    assert.equal(made.status, 200)
    assert.equal((await owner!.write('workspaces.leave')).status, 200)
  })

  test('a removed member loses access immediately, with every token', async () => {
    const [owner, member] = await people('owner', 'member')
    const { token } = await aToken(member!)
    assert.equal((await app.get('/v1/teams', token)).status, 200)
    assert.equal((await owner!.write('members.remove', { id: member!.personId })).status, 200)
    assert.equal((await app.get('/v1/teams', token)).status, 401)
    assert.equal((await member!.read('members.list')).status, 404)
    assert.deepEqual(
      (await listed(owner!)).map(({ id }) => id),
      [owner!.personId],
    )
  })

  test('a member who comes back finds none of the old tokens alive', async () => {
    const [owner, member] = await people('owner', 'member')
    const { token } = await aToken(member!)
    await owner!.write('members.remove', { id: member!.personId })
    const operator = { ...owner!, actor: { type: 'system', name: 'test' } } as const
    await addPerson(operator, { email: member!.email, name: 'Back', role: 'member' })
    assert.equal((await app.get('/v1/teams', token)).status, 401)
    const [kept] = ((await (await member!.read('tokens.list')).json()) as { data: Token[] }).data
    assert.ok(kept!.revokedAt)
    const removed = (await auditEvents(app.storage.db, owner!.workspaceId)).find(
      ({ event }) => event === 'member_removed',
    )!
    assert.deepEqual(removed.details.tokens, [token.slice(0, 11)])
  })

  test('an admin who removes someone that is being made an owner comes too late', async () => {
    const [owner, admin, member] = await people('owner', 'admin', 'member')
    const client = await app.storage.pool.connect()
    try {
      await client.query('begin')
      await client.query(`select from memberships where workspace_id = $1 and role = 'owner' for update`, [
        owner!.workspaceId,
      ])
      await client.query(`update memberships set role = 'owner' where person_id = $1`, [member!.personId])
      const removing = admin!.write('members.remove', { id: member!.personId })
      const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0]
      const waiting = 'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))'
      await until('the removal waits', async () => {
        const { rows } = await app.storage.pool.query(waiting, [pid])
        return rows.length > 0
      })
      await client.query('commit')
      assert.equal((await removing).status, 403)
    } finally {
      client.release()
    }
    assert.equal((await listed(owner!)).length, 3)
  })

  test('an invitation shows its link once, and can be taken back', async () => {
    const [admin] = await people('admin', 'owner')
    const made = await admin!.write('members.invite', { email: 'New@Example.com', role: 'member' })
    const { id, link, mailed } = (await made.json()) as { id: string; link: string; mailed: boolean }
    assert.match(link, /\/invite\/[\w-]{20,}$/)
    assert.equal(mailed, false)
    const text = await (await admin!.read('members.invitations')).text()
    assert.ok(text.includes('new@example.com') && !text.includes(link.split('/').at(-1)!))
    assert.equal((await admin!.write('members.revokeInvitation', { id })).status, 200)
    assert.deepEqual(await (await admin!.read('members.invitations')).json(), { data: [] })
  })
})
