import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { superuserIn, testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from './change.ts'
import { detailsOf } from './details.ts'
import { listAudit } from './list.ts'

const database = await testDatabase()
after(() => database.close())

const renamed = {
  event: 'workspace_changed',
  entity: { type: 'workspace', id: 'w' },
  details: { changes: [] },
} satisfies Entry

const page = { limit: 50, after: null }
const read = async (ctx: Parameters<typeof listAudit>[0]) =>
  (await listAudit(ctx, {}, page)).data.map(fromJson)

test('a change and its entry are written together, with the acting person as actor', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await change({ ...owner, origin: { requestId: 'r-1' } }, async (tx) => {
    await tables(tx).updateTable('people').set({ name: 'Renamed' }).where('id', '=', owner.personId).execute()
    return {
      value: null,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: 'w', name: 'W' },
        details: { changes: [], reason: 'test' },
      },
    }
  })
  const [entry] = await read(owner)
  assert.equal(entry?.event, 'workspace_changed')
  assert.deepEqual(entry?.actor, { type: 'human', name: 'A owner', userId: owner.personId })
  assert.deepEqual(entry?.details, {
    channel: 'app',
    changes: [],
    reason: 'test',
    origin: { requestId: 'r-1', role: 'owner' },
  })
  assert.equal(entry?.result, 'success')
})

test('a change that fails leaves neither rows nor entry', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const before = await read(owner)
  await assert.rejects(
    change(owner, async (tx) => {
      await tables(tx).updateTable('people').set({ name: 'Lost' }).where('id', '=', owner.personId).execute()
      throw new DomainError('conflict', 'no')
    }),
  )
  assert.deepEqual(await read(owner), before)
  const { rows } = await database.pool.query('select name from people where id = $1', [owner.personId])
  assert.equal(rows[0].name, 'A owner')
})

test('a change whose entry cannot be written does not happen', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const elsewhere = { ...owner, workspaceId: '00000000-0000-7000-8000-000000000000' }
  await assert.rejects(
    change(elsewhere, async (tx) => {
      await tables(tx).updateTable('people').set({ name: 'Lost' }).where('id', '=', owner.personId).execute()
      return { value: null, audit: renamed }
    }),
    /foreign key/,
  )
  const { rows } = await database.pool.query('select name from people where id = $1', [owner.personId])
  assert.equal(rows[0].name, 'A owner')
})

test('one change may write several entries', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await change(owner, async () => ({
    value: null,
    audit: [{ event: 'workspace_created', entity: { type: 'workspace', id: 'w' } }, renamed],
  }))
  const events = (await read(owner)).map((entry) => entry.event)
  assert.deepEqual(events.slice(0, 2), ['workspace_changed', 'workspace_created'])
})

test('details over 16 KB are cut and say so', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await change(owner, async () => ({
    value: null,
    audit: {
      event: 'workspace_changed',
      entity: { type: 'workspace', id: 'w' },
      details: { reason: 'kept', changes: [{ field: 'name', before: null, after: 'x'.repeat(20_000) }] },
    },
  }))
  const [entry] = await read(owner)
  assert.deepEqual(entry?.details, { channel: 'app', reason: 'kept', truncated: true })
})

test('details that are not those of the event are refused, and the change with them', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const before = await read(owner)
  const strays = [
    { ...renamed, details: { changes: [], colour: 'red' } },
    { ...renamed, details: {} },
    {
      event: 'decision_cancelled',
      entity: renamed.entity,
      details: { kind: 'budget_stop', cause: 'because' },
    },
    { event: 'team_deleted', entity: renamed.entity, details: { reason: 'no reason' } },
  ] as unknown as Entry[]
  for (const stray of strays) {
    await assert.rejects(
      change(owner, async (tx) => {
        await tables(tx)
          .updateTable('people')
          .set({ name: 'Lost' })
          .where('id', '=', owner.personId)
          .execute()
        return { value: null, audit: [renamed, stray] }
      }),
      new RegExp(`What ${stray.event} says is not valid`),
    )
  }
  assert.deepEqual(await read(owner), before)
})

test('what was read fits its event, or was written by an earlier version', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await change({ ...owner, origin: { requestId: 'r-1' } }, async () => ({ value: null, audit: renamed }))
  const [entry] = await read(owner)
  assert.deepEqual(detailsOf(entry!, 'workspace_changed'), renamed.details)
  assert.equal(detailsOf(entry!, 'team_changed'), null)
  assert.equal(detailsOf({ ...entry!, details: { was: 'otherwise' } }, 'workspace_changed'), null)
})

test('the server’s role cannot rewrite the log', async () => {
  await aWorkspace(database.db)
  for (const statement of [
    "update audit_entries set entry = '{}'",
    'delete from audit_entries',
    'truncate audit_entries',
    'delete from audit_entries_before',
    'delete from audit_leaves',
    'update audit_checkpoints set size = 0',
  ]) {
    await assert.rejects(database.pool.query(statement), /permission denied/, statement)
  }
})

test('the owner of the tables meets the triggers', async () => {
  const owner = await testDatabase({ asAppRole: false })
  await aWorkspace(owner.db)
  for (const statement of [
    "update audit_entries set entry = '{}'",
    'delete from audit_entries',
    'truncate audit_entries cascade',
  ]) {
    await assert.rejects(owner.pool.query(statement), /append-only/, statement)
  }
  await assert.rejects(owner.pool.query("set session_replication_role = 'replica'"), /permission denied/)
  // They also fire for a role that may skip ordinary triggers.
  const superuser = new pg.Client(superuserIn(owner.connection))
  await superuser.connect()
  await superuser.query("set session_replication_role = 'replica'")
  await assert.rejects(superuser.query('delete from audit_entries'), /append-only/)
  await superuser.end()
  await owner.close()
})
