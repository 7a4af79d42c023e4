import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDatabase, superuserIn, testDatabase } from '../../test/database.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { MigrationError, migrate } from './migrate.ts'

async function query(connection: pg.ClientConfig, text: string) {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

test('several nodes may migrate an empty database at the same time', async () => {
  const connection = await emptyDatabase()
  const responses = await Promise.all([migrate(connection), migrate(connection), migrate(connection)])
  assert.deepEqual(responses, [{ appRole: true }, { appRole: true }, { appRole: true }])
  const { rows } = await query(connection, 'select number from migrations order by number')
  assert.deepEqual(
    rows.map((row) => row.number),
    rows.map((_, index) => index + 1),
  )
})

test('a workspace whose tokens may answer their own agents keeps that, and those who can change it are told', async () => {
  const database = await testDatabase()
  const workspace = await aWorkspace(database.db)
  const roles = ['owner', 'admin', 'member'] as const
  for (const role of roles) await aMember(workspace, role)
  await query(database.connection, 'update workspaces set own_answers = true')
  // Once more what the migration does to those that it finds.
  const [insert] = /insert into notifications[^;]*;/.exec(migrationText('_presence.sql'))!
  await query(database.connection, insert)
  const { rows } = await query(
    database.connection,
    `select m.role, n.kind, w.own_answers as allowed from notifications n
     join memberships m using (workspace_id, person_id) join workspaces w on w.id = n.workspace_id
     order by 1`,
  )
  assert.deepEqual(rows, [
    { role: 'admin', kind: 'token', allowed: true },
    { role: 'owner', kind: 'token', allowed: true },
  ])
  await database.close()
})

test('a message to one person that waits to be sent keeps its wish under the name that the kind has now', async () => {
  const database = await testDatabase()
  const { workspaceId } = await aWorkspace(database.db)
  const insert = (kind: string, key: string) => `
    insert into effects (id, workspace_id, kind, key, data, due_at, created_at)
    values (gen_random_uuid(), '${workspaceId}', '${kind}', '${key}', '{}', now(), now())`
  await query(database.connection, insert('whisper', 'whisper/submitted/req-1'))
  await query(database.connection, insert('merge', 'merge/run-1'))
  await query(database.connection, migrationText('_ephemeral_messages.sql'))
  const { rows } = await query(database.connection, 'select kind, key from effects order by kind')
  assert.deepEqual(rows, [
    { kind: 'merge', key: 'merge/run-1' },
    { kind: 'post_ephemeral_message', key: 'ephemeral/submitted/req-1' },
  ])
  await database.close()
})

function migrationText(ending: string): string {
  const folder = path.join(import.meta.dirname, '..', '..', 'migrations')
  return readFileSync(path.join(folder, readdirSync(folder).find((file) => file.endsWith(ending))!), 'utf8')
}

test('a database newer than the code is refused with a sentence', async () => {
  const connection = await emptyDatabase()
  await migrate(connection)
  await query(
    connection,
    "insert into migrations (number, name, checksum) values (9999, '9999_future.sql', 'x')",
  )
  await assert.rejects(migrate(connection), (error: Error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(error.message, /newer than this version of Signalbox.*9999_future\.sql/)
    return true
  })
})

test('a migration that was edited after it had been applied is refused', async () => {
  const connection = await emptyDatabase()
  await migrate(connection)
  await query(connection, "update migrations set checksum = 'other' where number = 2")
  await assert.rejects(migrate(connection), /changed after it had been applied/)
})

test('a database user that cannot create roles still gets a guarded log', async () => {
  const connection = superuserIn(await emptyDatabase())
  await query(connection, `create role modest_${connection.database} login password 'x' nocreaterole`)
  await query(connection, `alter schema public owner to modest_${connection.database}`)
  await query(connection, `grant create on database ${connection.database} to modest_${connection.database}`)
  const modest = { ...connection, user: `modest_${connection.database}`, password: 'x' }
  assert.deepEqual(await migrate(modest), { appRole: false })
  await assert.rejects(query(modest, 'truncate audit_entries cascade'), /append-only/)
})
