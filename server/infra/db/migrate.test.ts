import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { template } from '../../test/cluster.ts'
import { emptyDatabase, superuserIn, testDatabase } from '../../test/database.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { migrate } from './migrate.ts'
import {
  type Migration,
  MigrationError,
  migrationFrom,
  readMigrations,
  statementsIn,
} from './migration-files.ts'
import type { Patience } from './run-migration.ts'

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

/** The migrations of this code and one more. */
async function withAnother(text: string): Promise<Migration[]> {
  const migrations = await readMigrations()
  return [...migrations, migrationFrom(`${String(migrations.length + 1).padStart(4, '0')}_another.sql`, text)]
}

test('a database to which a newer version has only added is left as it is, rights included', async () => {
  const connection = await emptyDatabase(template)
  await migrate(connection, { migrations: await withAnother('create table added (id integer);') })
  await query(connection, 'revoke update on migrations, added from signalbox_app')
  const log: string[] = []
  assert.deepEqual(await migrate(connection, { log: (line) => log.push(line) }), { appRole: true })
  assert.match(log.join('\n'), /^the database is newer than this version.*can still use it.*_another\.sql/)
  const { rows } = await query(
    connection,
    `select has_table_privilege('signalbox_app', 'added', 'update') as may`,
  )
  assert.deepEqual(rows, [{ may: false }])
})

test('a database that a newer version has contracted is refused with a sentence', async () => {
  const connection = await emptyDatabase(template)
  const next = (await readMigrations()).length + 1
  const insert = (number: number, contract: number) =>
    query(
      connection,
      `insert into migrations (number, name, checksum, contract) values (${number}, '${number}_future.sql', 'x', ${contract})`,
    )
  await insert(next, next - 1)
  await migrate(connection)
  await insert(next + 1, next)
  await assert.rejects(migrate(connection), (error: Error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(error.message, /newer than this version of Signalbox.*\d_future\.sql.*Update Signalbox/)
    return true
  })
})

test('a database of a release that noted less is migrated', async () => {
  const connection = await emptyDatabase(template)
  await query(connection, 'alter table migrations drop column contract')
  await migrate(connection)
  const { rows } = await query(connection, 'select distinct contract from migrations')
  assert.deepEqual(rows, [{ contract: 0 }])
})

const hasty: Patience = { lockMs: 100, pauseMs: 20, longestPauseMs: 40, totalMs: 60_000 }

test('a migration does not queue for a lock: others go on, the log says what it waits for however late, and it is tried again', async (t) => {
  const connection = await emptyDatabase(template)
  const long = new pg.Client({ ...connection, application_name: 'nightly report' })
  await long.connect()
  t.after(() => long.end())
  await long.query('begin; select from runners')
  const migrations = await withAnother(
    // Long at work before it needs the lock.
    'select pg_sleep(0.3); alter table runners add column mood text;',
  )
  const log: string[] = []
  const migrating = migrate(connection, { migrations, patience: hasty, log: (line) => log.push(line) })
  const waits =
    /_another\.sql waits for process \d+ of the database \(nightly report, user \w+, idle in transaction, in a transaction for \d+ s\)/
  await until('it says what it waits for', () => log.some((line) => waits.test(line)))
  // Behind a migration that queues, this would wait until the report has ended, and time out.
  await query({ ...connection, options: '-c statement_timeout=20000' }, 'select from runners')
  await long.query('rollback')
  await migrating
  await query(connection, 'select mood from runners')
  await long.query('begin; select from teams')
  await assert.rejects(
    migrate(connection, {
      migrations: [
        ...migrations,
        migrationFrom(`00${migrations.length + 1}_more.sql`, 'alter table teams add column mood text;'),
      ],
      patience: { ...hasty, totalMs: 300 },
    }),
    /_more\.sql could not get its locks.*End that transaction/,
  )
})

test('neither the tables of the job queue nor rights are queued for: what is in the way is said, and it is tried again', async (t) => {
  const connection = await emptyDatabase(template)
  const long = new pg.Client({ ...connection, application_name: 'nightly report' })
  await long.connect()
  t.after(() => long.end())
  const log: string[] = []
  for (const [table, waits] of [
    ['jobs.version', /^migration of the job queue waits for process \d+ of the database \(nightly report/],
    ['jobs.queue', /^migration of the job queue waits for process \d+ of the database \(nightly report/],
    ['policies', /^migration of rights waits for process \d+ of the database \(nightly report/],
  ] as const) {
    log.length = 0
    await long.query(`begin; lock table ${table} in access exclusive mode`)
    const migrating = migrate(connection, { patience: hasty, log: (line) => log.push(line) })
    await until(`${table} is waited for`, () => log.some((line) => waits.test(line)))
    await long.query('rollback')
    assert.deepEqual(await migrating, { appRole: true })
  }
})

test('an online migration builds indexes concurrently, commits in batches, and mends what an attempt left behind', async () => {
  const connection = await emptyDatabase(template)
  await query(connection, 'create table things (id integer, size integer)')
  await query(
    connection,
    'insert into things select n, 1 from generate_series(1, 25) n; insert into things values (25, 1)',
  )
  const migrations = await withAnother(`-- Every thing once, and doubled.
-- online
create unique index concurrently if not exists things_once on things (id);
do $$
declare
  doubled integer;
begin
  loop
    update things set size = 2 where ctid in (select ctid from things where size = 1 limit 10);
    get diagnostics doubled = row_count;
    commit;
    exit when doubled = 0;
  end loop;
end $$;
`)
  await assert.rejects(
    migrate(connection, { migrations }),
    /_another\.sql failed: could not create unique index/,
  )
  const indexes = () =>
    query(connection, `select indisvalid as valid from pg_index where indexrelid = 'things_once'::regclass`)
  assert.deepEqual((await indexes()).rows, [{ valid: false }])
  await query(connection, 'delete from things where ctid in (select ctid from things where id = 25 limit 1)')
  // The nodes that wait for the first hold no snapshot that the index would wait for.
  await Promise.all([1, 2, 3].map(() => migrate(connection, { migrations })))
  assert.deepEqual((await indexes()).rows, [{ valid: true }])
  const { rows } = await query(
    connection,
    'select count(distinct xmin::text)::int as batches, min(size) from things',
  )
  assert.deepEqual(rows, [{ batches: 3, min: 2 }])
})

test('a node that is killed while it builds an index leaves the rest of an online migration to the next', async (t) => {
  const connection = await emptyDatabase(template)
  await query(connection, 'drop index incidents_by_key_start, requirements_by_slug_start')
  const migrations = await withAnother(migrationText('_search.sql'))
  const writer = new pg.Client({ ...connection, application_name: 'nightly import' })
  await writer.connect()
  t.after(() => writer.end())
  // What an index waits for before it is built.
  await writer.query('begin; lock table incidents in row exclusive mode')
  const log: string[] = []
  const migrating = migrate(connection, { migrations, patience: hasty, log: (line) => log.push(line) })
  const refused = assert.rejects(migrating, /_another\.sql failed: terminating connection/)
  const builds = `select pid from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ '^create index concurrently .*incidents_by_key_start'`
  await until('the index is waited for', async () => (await query(connection, builds)).rowCount === 1)
  const waits =
    /^migration \d+_another\.sql waits for process \d+ of the database \(nightly import, .*idle in transaction/
  await until('it says what it waits for', () => log.some((line) => waits.test(line)))
  // Others write in the meantime.
  await query({ ...connection, options: '-c lock_timeout=1ms' }, 'update incidents set id = id')
  await query(connection, `select pg_terminate_backend(pid) from (${builds}) as builder`)
  await refused
  await writer.query('rollback')
  const indexes = `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
    where indexrelid in (to_regclass('incidents_by_key_start'), to_regclass('requirements_by_slug_start')) order by 1`
  assert.deepEqual((await query(connection, indexes)).rows, [
    { name: 'incidents_by_key_start', valid: false },
  ])
  await migrate(connection, { migrations })
  assert.deepEqual((await query(connection, indexes)).rows, [
    { name: 'incidents_by_key_start', valid: true },
    { name: 'requirements_by_slug_start', valid: true },
  ])
})

test('an index that is given up because two waited for each other is built again from the start', async (t) => {
  const connection = await emptyDatabase(template)
  await query(connection, 'create table things (id integer)')
  const migrations = await withAnother(
    '-- online\ncreate index concurrently if not exists things_by_id on things (id);\n',
  )
  const writer = new pg.Client(superuserIn(connection))
  await writer.connect()
  t.after(() => writer.end())
  // The other one finds out first, and gives up; on a busy machine we need a moment until we wait for it.
  await writer.query(`alter database ${connection.database} set deadlock_timeout = '2s'`)
  await writer.query(`set deadlock_timeout = '1min'; begin; insert into things values (1)`)
  const log: string[] = []
  const migrating = migrate(connection, { migrations, patience: hasty, log: (line) => log.push(line) })
  const builds = `select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ '^create index concurrently'`
  await until('the index is waited for', async () => (await query(connection, builds)).rowCount === 1)
  await writer.query('lock table things in share update exclusive mode')
  await writer.query('commit')
  await migrating
  assert.match(log[0]!, /_another\.sql waits for/)
  const { rows } = await query(
    connection,
    `select indisvalid as valid from pg_index where indexrelid = 'things_by_id'::regclass`,
  )
  assert.deepEqual(rows, [{ valid: true }])
})

test('statements end at a line that ends with a semicolon, outside of $$', () => {
  const text = `-- What it is for.\n-- online\n\nselect ';' as one;\n-- More.\ndo $$ begin\n  commit;\nend $$;\nselect 2`
  assert.deepEqual(statementsIn(text), ["select ';' as one;", 'do $$ begin\n  commit;\nend $$;', 'select 2'])
})

test('a header that cannot be read, or that names what comes later, is refused', () => {
  const contractOf = (header: string) =>
    migrationFrom('0060_x.sql', `-- Why.\n${header}\nselect 1;\n-- contract: 0001\n`).contract
  assert.equal(contractOf('-- contract: 0054'), 54)
  assert.equal(contractOf('-- online'), 0)
  for (const wrong of ['-- contract: 54', '-- contract: 0060', '-- contract: the next'])
    assert.throws(() => contractOf(wrong), /0060_x\.sql has a header that cannot be read/)
})

test('a migration that was edited after it had been applied is refused', async () => {
  const connection = await emptyDatabase(template)
  await query(connection, "update migrations set checksum = 'other' where number = 2")
  await assert.rejects(migrate(connection), /changed after it had been applied/)
})

test('a database that has applied a migration in a text that it had before its release is taken as it is', async () => {
  const connection = await emptyDatabase(template)
  const edited = (await readMigrations()).filter(({ former }) => former.length > 0)
  assert.ok(edited.length > 0)
  for (const { number, former } of edited)
    await query(connection, `update migrations set checksum = '${former[0]}' where number = ${number}`)
  await migrate(connection)
  const before = 'a'.repeat(64)
  const newest = await withAnother(`-- formerly: ${before}\nselect 1;\n`)
  assert.deepEqual(newest.at(-1)!.former, [before])
  assert.throws(() => migrationFrom('0060_x.sql', '-- formerly: abc\nselect 1;\n'), /0060_x\.sql.*SHA-256/)
})

test('a database user that cannot create roles still gets a guarded log', async () => {
  const connection = superuserIn(await emptyDatabase())
  await query(connection, `create role modest_${connection.database} login password 'x' nocreaterole`)
  await query(connection, `alter schema public owner to modest_${connection.database}`)
  await query(connection, `grant create on database ${connection.database} to modest_${connection.database}`)
  const modest = { ...connection, user: `modest_${connection.database}`, password: 'x' }
  const missing = `grant signalbox_app to ${modest.user};`
  assert.deepEqual(await migrate(modest), { appRole: false, missing })
  await assert.rejects(query(modest, 'truncate audit_entries cascade'), /append-only/)
  await query(connection, missing)
  assert.deepEqual(await migrate(modest), { appRole: true })
  await assert.rejects(
    query(modest, 'set role signalbox_app; truncate audit_entries cascade'),
    /permission denied/,
  )
})
