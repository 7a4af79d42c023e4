import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aToken, aWorkspace } from '../../../test/factories.ts'
import { DomainError } from '../../errors.ts'
import { Authenticator } from './authenticate.ts'
import { createToken } from './create.ts'
import { revokeToken } from './revoke.ts'
import { digestOf, isTokenShaped, newTokenValue } from './value.ts'

const database = await testDatabase()
after(() => database.close())

const alwaysFresh = { isFresh: () => true, generation: () => 0 }

test('a token is tk_ and 32 characters, 35 in all, with a checksum', () => {
  for (let n = 0; n < 200; n += 1) {
    const token = newTokenValue()
    assert.match(token, /^tk_[0-9A-Za-z]{32}$/)
    assert.equal(token.length, 35)
    assert.ok(isTokenShaped(token))
  }
})

test('a token with one character changed is refused without asking the database', () => {
  fc.assert(
    fc.property(fc.nat({ max: 31 }), fc.constantFrom(...'0123456789ABCabcxyz'), (position, letter) => {
      const token = newTokenValue()
      const changed = token.slice(0, 3 + position) + letter + token.slice(4 + position)
      assert.equal(isTokenShaped(changed), changed === token)
    }),
  )
})

test('the value is kept nowhere: only its SHA-256 and its first 11 characters', async () => {
  const { id, token } = await aToken(await aMember(await aWorkspace(database.db), 'member'))
  const { rows } = await database.pool.query('select * from api_tokens where id = $1', [id])
  assert.equal(rows[0].prefix, token.slice(0, 11))
  assert.equal(rows[0].digest.toString('hex'), digestOf(token))
  const { rows: all } = await database.pool.query('select entry from audit_entries')
  assert.ok(all.every((row) => !row.entry.includes(token)))
})

test('permissions are a non-empty subset, and the lifetime is one of three', async () => {
  const member = await aMember(await aWorkspace(database.db), 'member')
  const input = {
    personId: member.personId,
    name: 'ci',
    permissions: ['read'] as never,
    expires: '30d' as never,
  }
  for (const wrong of [
    { permissions: [] },
    { permissions: ['root'] },
    { permissions: ['read', 'root'] },
    { expires: '2y' },
    { name: '  ' },
  ]) {
    await assert.rejects(
      createToken(member, { ...input, ...wrong } as never),
      DomainError,
      JSON.stringify(wrong),
    )
  }
  for (const [expires, days] of [
    ['30d', 30],
    ['90d', 90],
    ['1y', 365],
  ] as const) {
    const { expiresAt } = await createToken(member, { ...input, expires })
    assert.equal(Math.round((expiresAt.getTime() - Date.now()) / 86_400_000), days)
  }
})

test('a token is personal: no one makes or revokes one for another person', async () => {
  const workspace = await aWorkspace(database.db)
  const [owner, member] = [await aMember(workspace, 'owner'), await aMember(workspace, 'member')]
  await assert.rejects(
    createToken(owner, { personId: member.personId, name: 'x', permissions: ['read'], expires: '30d' }),
    { code: 'insufficient_role' },
  )
  const { id } = await aToken(member)
  await assert.rejects(revokeToken(owner, id), { code: 'insufficient_role' })
  await revokeToken(member, id)
  await assert.rejects(revokeToken(member, id), { code: 'conflict' })
})

test('a token of another workspace cannot be revoked from this one', async () => {
  const { id } = await aToken(await aMember(await aWorkspace(database.db), 'owner'))
  await assert.rejects(revokeToken(await aWorkspace(database.db), id), { code: 'not_found' })
})

test('a token that is remembered still expires on time', async () => {
  const clock = new TestClock()
  const member = await aMember(await aWorkspace(database.db, clock), 'member')
  const { token } = await aToken(member)
  const authenticator = new Authenticator({ db: database.db, clock, node: () => alwaysFresh })
  await authenticator.authenticate(token)
  clock.forward(30 * 86_400_000 - 1)
  await authenticator.authenticate(token)
  clock.forward(1)
  assert.throws(() => authenticator.authenticate(token), { code: 'token_expired' })
})

test('without a fresh lease every request asks the database', async () => {
  const member = await aMember(await aWorkspace(database.db), 'member')
  const { id, token } = await aToken(member)
  let fresh = true
  const authenticator = new Authenticator({
    db: database.db,
    clock: member.clock,
    node: () => ({ isFresh: () => fresh, generation: () => 0 }),
  })
  await authenticator.authenticate(token)
  await database.pool.query('update api_tokens set revoked_at = now() where id = $1', [id])
  assert.ok(await authenticator.authenticate(token), 'remembered under the lease')
  fresh = false
  await assert.rejects(async () => authenticator.authenticate(token), { code: 'invalid_token' })
})

test('uses that could not be written are written the next time', async () => {
  const clock = new TestClock()
  const member = await aMember(await aWorkspace(database.db, clock), 'member')
  const { id, token } = await aToken(member)
  const authenticator = new Authenticator({ db: database.db, clock, node: () => alwaysFresh })
  await authenticator.authenticate(token)
  const owner = new pg.Client(database.connection)
  await owner.connect()
  await owner.query('revoke insert on api_token_uses from signalbox_app')
  await assert.rejects(authenticator.noteUses(), /permission denied/)
  await owner.query('grant insert on api_token_uses to signalbox_app')
  await owner.end()
  await authenticator.noteUses()
  const { rows } = await database.pool.query('select last_used_at from api_token_uses where token_id = $1', [
    id,
  ])
  assert.deepEqual(rows, [{ last_used_at: clock.now() }])
})

test('last use is written in batches and never moves back', async () => {
  const clock = new TestClock()
  const member = await aMember(await aWorkspace(database.db, clock), 'member')
  const { id, token } = await aToken(member)
  const lastUsed = async () =>
    (await database.pool.query('select last_used_at from api_token_uses where token_id = $1', [id])).rows[0]
      ?.last_used_at
  const [first, second] = [1, 2].map(
    () => new Authenticator({ db: database.db, clock, node: () => alwaysFresh }),
  )
  await first!.authenticate(token)
  assert.equal(await lastUsed(), undefined, 'no write per request')
  clock.forward(5_000)
  await second!.authenticate(token)
  const latest = clock.now()
  await second!.noteUses()
  await first!.noteUses()
  assert.deepEqual(await lastUsed(), latest)
})
