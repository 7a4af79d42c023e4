import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../infra/db/migrate.ts'
import { type Migration, readMigrations, statementsIn } from '../../infra/db/migration-files.ts'
import { runMigration, runStatements, type Session, usualPatience } from '../../infra/db/run-migration.ts'
import { template } from '../cluster.ts'
import { emptyDatabase, superuserIn } from '../database.ts'
import { restoreFixture } from './fixture.ts'
import { lastRelease } from './last-release.ts'

async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect()
  return client
}

/** As a node of the release before writes: with the rights of the server, to tables that are being migrated. */
class OlderNode {
  readonly #client: pg.Client
  static #turns = 0

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(connection: pg.ClientConfig): Promise<OlderNode> {
    const client = await connect(connection)
    await client.query('set role signalbox_app')
    return new OlderNode(client)
  }

  /** A story more, one that changes and one that goes; a decision that is answered or waits again; a bill. */
  async write(whileOpen: () => Promise<void> = async () => {}): Promise<void> {
    OlderNode.#turns += 1
    const turn = OlderNode.#turns
    const id = randomUUID()
    const copy = `insert into stories select (jsonb_populate_record(s, jsonb_build_object('id', $1::text, 'key', $1::text,
      'size', 'xl', 'tracker_platform', null, 'tracker_key', null, 'tracker_url', null))).* from stories s limit 1`
    await this.#client.query('begin')
    await this.#client.query(copy, [id])
    await this.#client.query(
      'update stories set draft = not draft where key = (select min(key) from stories)',
    )
    if (turn % 2 === 0) await this.#client.query('delete from stories where id = $1', [id])
    await this.#client.query(
      `update decisions set status = case status when 'pending' then 'superseded' else 'pending' end
       where id = (select id from decisions where status in ('pending', 'superseded') order by id limit 1)`,
    )
    await this.#client.query(
      `insert into usage_ledger
       select (jsonb_populate_record(u, jsonb_build_object('report', 1000000 + $1::int, 'euro_micros', 7))).*
       from usage_ledger u limit 1`,
      [turn],
    )
    await whileOpen()
    await this.#client.query('commit')
  }

  /** Again and again, until it is told to stop. A write that is refused rejects then. */
  goOn(): () => Promise<void> {
    let isOver = false
    const writing = (async () => {
      while (!isOver) await this.write()
    })()
    // It is awaited when it is told to stop.
    writing.catch(() => {})
    return async () => {
      isOver = true
      await writing
    }
  }

  close = () => this.#client.end()
}

/** Begins it again and again, and breaks off after one statement more each time. */
async function breakingOff(session: Session, { name, text }: Migration, older: OlderNode): Promise<void> {
  const statements = statementsIn(text)
  for (const [done, last] of statements.entries()) {
    await runStatements(session, name, statements.slice(0, done))
    const run = () => runStatements(session, name, [last])
    // What is counted while a transaction that writes is open.
    if (last.startsWith('with ')) await older.write(run)
    else await run()
  }
}

test('an online migration that breaks off after any of its statements, while the last release writes, ends as it should', async (t) => {
  const connection = await emptyDatabase()
  await restoreFixture(lastRelease.version, connection, superuserIn(connection))
  const client = await connect(connection)
  // As a newer version begins.
  await client.query('alter table migrations add column contract integer not null default 0')
  const session = { client, connection, log: () => {}, patience: usualPatience }
  const [one, other] = [await OlderNode.connect(connection), await OlderNode.connect(connection)]
  const stop = one.goOn()
  t.after(async () => {
    await stop().catch(() => {})
    await Promise.all([client.end(), one.close(), other.close()])
  })
  for (const migration of (await readMigrations()).slice(lastRelease.migrations)) {
    if (migration.online) await breakingOff(session, migration, other)
    await runMigration(session, migration).catch((error) =>
      assert.fail(`${migration.name}: ${error.message}`),
    )
  }
  await stop()
  await migrate(connection)

  const reference = await connect({ ...connection, database: template })
  t.after(() => reference.end())
  const [made, expected] = [await schemaOf(client), await schemaOf(reference)]
  const differences = { more: made.difference(expected), less: expected.difference(made) }
  assert.deepEqual(differences, { more: new Set(), less: new Set() })
  for (const [kept, counted] of counts) {
    const { rows } = await client.query(kept)
    assert.notDeepEqual(rows, [], kept)
    assert.deepEqual(rows, (await client.query(counted)).rows, kept)
  }
})

const counts = [
  [
    `select team_id, column_id, draft, size, sum(amount)::int as amount from story_counts
     group by 1, 2, 3, 4 having sum(amount) <> 0 order by 1, 2, 3, 4`,
    `select team_id, column_id, draft, size, count(*)::int as amount from stories where rejected_at is null
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  ],
  [
    `select team_id, kind, sum(amount)::int as amount from pending_counts
     group by 1, 2 having sum(amount) <> 0 order by 1, 2`,
    `select team_id, kind, count(*)::int as amount from decisions where status = 'pending'
     group by 1, 2 order by 1, 2`,
  ],
  [
    'select team_id, day, sum(euro_micros)::text as amount from day_spend group by 1, 2 order by 1, 2',
    `select team_id, date_trunc('day', at, 'UTC') as day, sum(euro_micros)::text as amount from usage_ledger
     group by 1, 2 order by 1, 2`,
  ],
] as const

/** Everything that migrations make, as PostgreSQL writes it, without the partitions, which follow the calendar. */
async function schemaOf(client: pg.Client): Promise<Set<string>> {
  // Of the table that notes migrations each release makes its own.
  const ours = `relnamespace = 'public'::regnamespace and not relispartition and relname <> 'migrations'`
  const { rows } = await client.query<{ line: string }>(`
    select relname || ' ' || attnum || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
      || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') as line
    from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where ${ours} and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    union all
    select pg_get_indexdef(indexrelid) || ' ' || indisvalid from pg_index join pg_class c on c.oid = indexrelid
    where ${ours}
    union all
    select relname || ' ' || conname || ' ' || pg_get_constraintdef(o.oid) || ' ' || convalidated
    from pg_constraint o join pg_class c on c.oid = conrelid where ${ours}
    union all
    select pg_get_triggerdef(g.oid) from pg_trigger g join pg_class c on c.oid = tgrelid where ${ours} and not tgisinternal
    union all
    select pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace and prolang in (select oid from pg_language where lanname in ('sql', 'plpgsql'))
    union all
    select relname || ' ' || grantee::regrole || ' ' || string_agg(privilege_type, ' ' order by privilege_type)
    from pg_class c, aclexplode(relacl) where ${ours} group by relname, grantee`)
  return new Set(rows.map(({ line }) => line))
}
