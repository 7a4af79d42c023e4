import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { emptyDatabase, testDatabase } from '../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../test/factories.ts'
import { migrate } from '../db/migrate.ts'
import { copyIn, finishRestore } from './copy-in.ts'
import { copyOut, type Taken } from './copy-out.ts'
import type { TarEntry } from './tar.ts'

const database = await testDatabase()
after(() => database.close())

const about = { id: 'a backup', version: '0' }

test('a copy holds what was committed when it began, and an empty database has all of it afterwards', async () => {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  await aTeam(admin)
  await database.pool.query(`insert into instance (secret_fingerprint) values ('f')`)
  const owner = await connected(database.connection)
  // Other months than the migrations of today make.
  await owner.query('select prepare_audit_months(current_date + 400)')
  await migrate(database.connection)
  const shape = await schemaOf(owner)
  const { entries, taken } = await copiedOut(async () => {
    // Written while it is being copied.
    await aTeam(admin)
  })
  assert.equal(taken.end.tables.teams?.rows, 1)
  assert.equal(taken.end.tables.instance?.rows, 1)
  assert.equal(Object.hasOwn(taken.end.tables, 'nodes'), false)

  const target = await emptyDatabase()
  await copyIn(target, given(entries))
  await assert.rejects(migrate(target), /A restore into this database did not finish/)
  await assert.rejects(copyIn(target, given(entries)), /earlier restore .* did not finish/)
  await finishRestore(target)
  await migrate(target)
  const restored = await connected(target)
  assert.deepEqual(await schemaOf(restored), shape)
  assert.deepEqual(await rowsOf(restored, 'teams'), (await rowsOf(owner, 'teams')).slice(0, 1))
  assert.deepEqual(
    await rowsOf(restored, 'audit_entries'),
    (await rowsOf(owner, 'audit_entries')).slice(0, -1),
  )
  await assert.rejects(restored.query('delete from audit_entries'), /append-only/)
  await assert.rejects(restored.query('truncate audit_leaves'), /append-only/)
  await assert.rejects(copyIn(target, given(entries)), /The database is not empty/)
})

test('a backup of a newer version is refused before anything is changed', async () => {
  await database.pool.query(`insert into instance (secret_fingerprint) values ('f') on conflict do nothing`)
  const { entries } = await copiedOut(async () => {})
  const target = await emptyDatabase()
  const manifest = JSON.parse(entries[0]!.bytes.toString())
  const newest = { number: manifest.migrations.length + 1, name: '9999_later.sql', checksum: 'c' }
  const newer = { ...manifest, migrations: [...manifest.migrations, newest] }
  const changed = [{ ...entries[0]!, bytes: Buffer.from(JSON.stringify(newer)) }, ...entries.slice(1)]
  await assert.rejects(
    copyIn(target, given(changed)),
    /The backup is newer than this version of Signalbox: it has migration 9999_later/,
  )
  const client = await connected(target)
  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(rows, [])
})

async function copiedOut(meanwhile: () => Promise<unknown>): Promise<{ entries: TarEntry[]; taken: Taken }> {
  const { taken, used } = await copyOut(
    database.connection,
    { about, leaveOut: ['migrations', 'nodes'] },
    async (source) => {
      const entries: TarEntry[] = []
      for await (const entry of source) {
        if (entries.length === 0) await meanwhile()
        entries.push(entry)
      }
      return entries
    },
  )
  return { entries: used, taken }
}

async function* given(entries: TarEntry[]): AsyncGenerator<TarEntry> {
  yield* entries
}

async function connected(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect()
  after(() => client.end())
  return client
}

const rowsOf = async (client: pg.Client, table: string) =>
  (await client.query(`select * from ${table} order by id`)).rows

/** Everything about the schema that is not a row: tables with their parts, columns, constraints, indexes, triggers, rights. */
async function schemaOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select line from (
      select format('%s %s %s %s', c.relname, c.relkind, c.relacl::text, pg_get_expr(c.relpartbound, c.oid)) as line
      from pg_class c where c.relnamespace = 'public'::regnamespace
      union all
      select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace and conparentid = 0
      union all
      select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal
    ) as lines
    where line not like 'restore_unfinished%'
    order by line`)
  return rows.map(({ line }) => line)
}
