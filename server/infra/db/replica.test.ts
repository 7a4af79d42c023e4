import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { template } from '../../test/cluster.ts'
import { emptyDatabase, superuserIn } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import { newId } from '../ids.ts'
import {
  type Database,
  type Db,
  inTransaction,
  onReplica,
  openDatabase,
  read,
  readApart,
  writtenBy,
} from './db.ts'
import { Statement } from './statement.ts'

/**
 * The rule of who may read from a replica. The replica here is a double: the same database, whose functions tell those
 * sessions something else when they ask how far it is. A real one is in server/test/faults/replica.long.test.ts.
 */

const who = new Statement<object, { isReplica: boolean; role: string; readOnly: string }>(`
  select coalesce(current_setting('test.standby', true) = 'on', false) as "isReplica", current_user::text as role,
    current_setting('transaction_read_only') as "readOnly"`)

const isOnReplica = async (db: Db) => (await read(db, who, {}))[0]!.isReplica

describe('reads that a replica may answer', () => {
  let database: Database
  let superuser: pg.Client
  const someone = () => newId(new Date())

  /** A commit of this person; `work` is what it does. */
  const commitOf = (personId: string, db = database.db) =>
    inTransaction(db, async (tx) => writtenBy(tx, personId))

  const set = (column: 'at' | 'is_standby' | 'replayed_at', value: string) =>
    superuser.query(`update standby.is set ${column} = ${value}`)
  const catchUp = () => set('at', 'pg_current_wal_insert_lsn()')

  before(async () => {
    const connection = await emptyDatabase(template)
    superuser = new pg.Client(superuserIn(connection))
    await superuser.connect()
    await superuser.query(`
      create schema standby;
      create table standby.is (at pg_lsn, is_standby boolean, replayed_at timestamptz);
      insert into standby.is values (pg_current_wal_insert_lsn(), true, null);
      alter function pg_is_in_recovery() rename to really_in_recovery;
      alter function pg_last_wal_replay_lsn() rename to really_replayed;
      alter function pg_last_xact_replay_timestamp() rename to really_replayed_at;
      create function standby.is_meant() returns boolean language sql as
        'select coalesce(current_setting(''test.standby'', true) = ''on'', false)';
      create function pg_catalog.pg_is_in_recovery() returns boolean language sql as
        'select case when standby.is_meant() then (select is_standby from standby.is)
           else really_in_recovery() end';
      create function pg_catalog.pg_last_wal_replay_lsn() returns pg_lsn language sql as
        'select case when standby.is_meant() then (select at from standby.is) else really_replayed() end';
      create function pg_catalog.pg_last_xact_replay_timestamp() returns timestamptz language sql as
        'select case when standby.is_meant() then (select coalesce(replayed_at, clock_timestamp()) from standby.is)
           else really_replayed_at() end';
      grant usage on schema standby to public;
      grant select on standby.is to public`)
    const standby = { ...connection, options: '-c test.standby=on' }
    database = openDatabase({
      connection,
      replica: { connection: standby, longestLagMs: 5_000 },
      ...{ connections: 4, asAppRole: true, onError: () => {} },
    })
    // The first person to read adds the row that counts for everyone.
    await onReplica(database.db, someone())
    await catchUp()
    const db = await onReplica(database.db, someone())
    await until('the replica is connected', () => isOnReplica(db))
  })
  after(async () => {
    await database?.close()
    await superuser?.end()
  })

  test('who has written reads from the primary until the replica has it; others are not held up', async () => {
    const [writer, other] = [someone(), someone()]
    await commitOf(writer)
    assert.equal(await isOnReplica(await onReplica(database.db, writer)), false)
    assert.equal(await isOnReplica(await onReplica(database.db, other)), true)
    await catchUp()
    assert.equal(await isOnReplica(await onReplica(database.db, writer)), true)
  })

  test('reads at the same time go each where they may', async () => {
    const writer = someone()
    await commitOf(writer)
    const handles = await Promise.all([writer, someone(), writer].map((one) => onReplica(database.db, one)))
    assert.deepEqual(await Promise.all(handles.map(isOnReplica)), [false, true, false])
    const apart = await Promise.all(handles.map((db) => readApart(db, who, {})))
    assert.deepEqual(
      apart.map(([row]) => row!.isReplica),
      [false, true, false],
    )
    await catchUp()
  })

  test('what a page was told of counts like what a person has written', async () => {
    const { rows } = await superuser.query(`select pg_wal_lsn_diff(at, '0/0')::float8 as at from standby.is`)
    const at = rows[0].at as number
    assert.equal(await isOnReplica(await onReplica(database.db, someone(), at)), true)
    assert.equal(await isOnReplica(await onReplica(database.db, someone(), at + 1)), false)
  })

  test('a handle that has written reads what it wrote, and goes on at the replica once that is there', async () => {
    const writer = someone()
    const db = await onReplica(database.db, writer)
    assert.equal(await isOnReplica(db), true)
    await commitOf(writer, db)
    assert.equal(await isOnReplica(db), false)
    await catchUp()
    assert.equal(await isOnReplica(db), true)
    await inTransaction(db, async () => {})
    assert.equal(await isOnReplica(db), false, 'whose write it was is not known')
  })

  test('after a crash has emptied the table, no one reads what is older than that', async () => {
    const writer = someone()
    await commitOf(writer)
    await superuser.query('truncate last_writes')
    assert.equal(await isOnReplica(await onReplica(database.db, writer)), false)
    assert.equal(await isOnReplica(await onReplica(database.db, someone())), false)
    await catchUp()
    assert.equal(await isOnReplica(await onReplica(database.db, writer)), true)
  })

  test('a position that another database has left does not keep anyone from the replica', async () => {
    const writer = someone()
    await superuser.query('insert into last_writes values ($1, $2)', [writer, 2 ** 50])
    const db = await onReplica(database.db, writer)
    assert.equal(await isOnReplica(db), false)
    await catchUp()
    assert.equal(await isOnReplica(db), true)
  })

  test('one that is late, or no replica any more, is not read from', async () => {
    const db = await onReplica(database.db, someone())
    await set('replayed_at', `clock_timestamp() - interval '6 seconds'`)
    assert.equal(await isOnReplica(db), false)
    assert.deepEqual(await database.replica!.state().then((state) => 'isLate' in state && state.isLate), true)
    await set('replayed_at', 'null')
    assert.equal(await isOnReplica(db), true)
    await set('is_standby', 'false')
    assert.equal(await isOnReplica(db), false)
    await set('is_standby', 'true')
    assert.equal(await isOnReplica(db), true)
  })

  test('its sessions act as the restricted role, which cannot write there either', async () => {
    const [found] = await read(await onReplica(database.db, someone()), who, {})
    assert.deepEqual(found, { isReplica: true, role: 'signalbox_app', readOnly: 'on' })
  })

  test('a connection that breaks is no one’s trouble: the primary answers, and later the replica again', async () => {
    const db = await onReplica(database.db, someone())
    const before = { ...database.replica!.answered }
    await superuser.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and usename <> current_user`)
    assert.equal(await isOnReplica(db), false)
    assert.equal(database.replica!.answered.away > before.away, true)
    await until('it is connected again', () => isOnReplica(db))
  })
})

test('an address where no one answers leaves everything to the primary', async () => {
  const connection = await emptyDatabase(template)
  const nowhere = { ...connection, host: '127.0.0.1', port: 1 }
  const database = openDatabase({
    connection,
    replica: { connection: nowhere, longestLagMs: 5_000 },
    ...{ connections: 4, asAppRole: true, onError: () => {} },
  })
  const db = await onReplica(database.db, newId(new Date()))
  for (let n = 0; n < 3; n += 1) {
    assert.equal(await isOnReplica(db), false)
    assert.equal((await readApart(db, who, {}))[0]!.isReplica, false)
  }
  assert.equal(database.replica!.answered.away, 6)
  assert.ok('error' in (await database.replica!.state()))
  await database.close()
})
