import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDatabase, superuserIn } from '../../test/database.ts'
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
