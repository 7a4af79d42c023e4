import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../app/config.ts'
import { openStorage, type Storage } from '../../app/storage.ts'
import { appRole, openDatabase } from '../../infra/db/db.ts'
import { type Connection, startCluster } from '../../infra/db/embedded.ts'
import { migrate } from '../../infra/db/migrate.ts'
import { createLog } from '../../infra/log.ts'
import { aMember, aWorkspace } from '../factories.ts'
import { superuserOf } from '../superuser.ts'

/** The server reaches its embedded database as someone who owns the tables and is nothing else. */

/** Right below the temporary folder, where the account of the database can enter and nothing is kept elsewhere. */
async function aDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-login-'))
  after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const log = createLog({ level: 'silent' })

async function serving<T>(dataDir: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(readConfig({ DATA_DIR: dataDir }), log, 'serve')
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

async function as<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const forbidden = [
  'set role signalbox',
  'set session authorization signalbox',
  'alter role current_user superuser',
  'alter role signalbox password null',
  'create role another superuser login',
  'create role another login',
  'grant signalbox to current_user',
  'grant pg_read_server_files to current_user',
  'grant pg_execute_server_program to current_user',
  "copy (select 1) to program 'cat'",
  "create temp table t (line text); copy t from program 'id'",
  "create temp table t (line text); copy t from '/etc/passwd'",
  "copy (select 1) to '/tmp/signalbox-written'",
  "select pg_read_file('/etc/passwd')",
  "select pg_ls_dir('/')",
  "select lo_import('/etc/passwd')",
  "alter system set archive_command = 'id'",
  'create extension file_fdw',
  "create function f() returns int language c as 'libc', 'getpid'",
  "set session_replication_role = 'replica'",
  'create database another',
  'select rolpassword from pg_authid',
]

async function assertModest(connection: pg.ClientConfig): Promise<void> {
  for (const statement of forbidden) {
    await as(connection, (client) => assert.rejects(client.query(statement), { code: '42501' }, statement))
  }
  const { rows } = await as(connection, (client) =>
    client.query(`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        (select array_agg(roleid::regrole::text) from pg_auth_members where member = role.oid) as member_of
      from pg_roles role where rolname = session_user`),
  )
  assert.deepEqual(rows, [
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      member_of: [appRole],
    },
  ])
}

test('the login of the server cannot become superuser, read a file of the machine or run a program there', async () => {
  await serving(await aDataFolder(), async ({ connection, pool, alone }) => {
    assert.equal(alone, true, 'nobody else serves from it')
    await assertModest(connection)
    const { rows } = await pool.query('select session_user, current_user')
    assert.deepEqual(rows, [{ session_user: connection.user, current_user: appRole }])
    await assert.rejects(pool.query('set role signalbox'), { code: '42501' })
  })
})

test('a data folder that the superuser has filled opens with all its data, and belongs to the login', async () => {
  const dataDir = await aDataFolder()
  const { workspaceId, secret } = await fillAsBefore(dataDir)
  await serving(dataDir, async ({ connection, db, pool }) => {
    const { rows: found } = await pool.query('select slug, key_secret from workspaces where id = $1', [
      workspaceId,
    ])
    assert.deepEqual(found[0].key_secret, secret)
    const { rows: entries } = await pool.query('select from audit_entries where workspace_id = $1', [
      workspaceId,
    ])
    assert.ok(entries.length > 0)
    await aMember(await aWorkspace(db), 'owner')
    await assertModest(connection)
    // A later migration changes, replaces and drops what is there.
    const { rows: left } = await as(connection, (client) =>
      client.query(`
        select oid::regclass::text from pg_class
          where relowner = 'signalbox'::regrole and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace)
        union all
        select oid::regprocedure::text from pg_proc
          where proowner = 'signalbox'::regrole and pronamespace in ('public'::regnamespace, 'jobs'::regnamespace)
        union all
        select oid::regtype::text from pg_type
          where typowner = 'signalbox'::regrole and typnamespace in ('public'::regnamespace, 'jobs'::regnamespace)
            -- What an extension brings is never another's.
            and typname not in ('gtrgm', '_gtrgm')
        union all
        select nspname from pg_namespace where nspname = 'jobs' and nspowner = 'signalbox'::regrole
        union all
        select datname from pg_database where datname = 'signalbox' and datdba = 'signalbox'::regrole`),
    )
    assert.deepEqual(left, [])
  })
})

/** As it was when the server itself was superuser. */
async function fillAsBefore(dataDir: string) {
  const cluster = await startCluster(dataDir, { log: () => {} })
  const superuser = await superuserOf(dataDir, cluster.connection)
  await as(superuser, async (client) => {
    await client.query('alter database signalbox owner to signalbox')
    await client.query(`drop role ${cluster.connection.user}, ${appRole}`)
  })
  const filled = await fill(superuser)
  await cluster.stop()
  return filled
}

async function fill(superuser: Connection) {
  const { appRole: asAppRole } = await migrate(superuser)
  const database = openDatabase({ connection: superuser, connections: 4, asAppRole, onError: () => {} })
  const { workspaceId } = await aMember(await aWorkspace(database.db), 'owner')
  const { rows } = await database.pool.query('select key_secret from workspaces where id = $1', [workspaceId])
  await database.close()
  return { workspaceId, secret: rows[0].key_secret as Buffer }
}
