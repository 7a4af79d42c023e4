import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress } from 'node:zlib'
import pg from 'pg'
import { migrate } from '../../infra/db/migrate.ts'
import { readMigrations } from '../../infra/db/migration-files.ts'

/** What a database of a release holds. Its tables are those that the migrations of that release make. */
interface Fixture {
  secretKey: string
  migrations: number
  partitions: { parent: string; name: string; bound: string }[]
  rows: Record<string, unknown[]>
}

const fileOf = (version: string) => path.join(import.meta.dirname, `v${version}.json.br`)

export async function writeFixture(version: string, fixture: Fixture): Promise<number> {
  const packed = await promisify(brotliCompress)(JSON.stringify(fixture))
  await writeFile(fileOf(version), packed)
  return packed.length
}

const readFixture = async (version: string): Promise<Fixture> =>
  JSON.parse((await promisify(brotliDecompress)(await readFile(fileOf(version)))).toString())

export async function dump(connection: pg.ClientConfig, secretKey: string): Promise<Fixture> {
  return connected(connection, async (client) => {
    const { rows: partitions } = await client.query<Fixture['partitions'][number]>(partitionsText)
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition order by 1`,
    )
    const rows: Fixture['rows'] = {}
    for (const { name } of tables) {
      const { rows: found } = await client.query<{ row: unknown }>(`select to_json(t) as row from ${name} t`)
      if (found.length > 0) rows[name] = found.map(({ row }) => row)
    }
    return { secretKey, migrations: rows.migrations!.length, partitions, rows }
  })
}

async function connected<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const partitionsText = `
  select inhparent::regclass::text as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits join pg_class c on c.oid = inhrelid
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1, 2`

/**
 * Fills an empty database with what one of that release held. It takes a superuser: rows come in any order, past the
 * triggers that guard them. Returns the key that belongs to it.
 */
export async function restoreFixture(
  version: string,
  connection: pg.ClientConfig,
  superuser: pg.ClientConfig,
): Promise<{ secretKey: string; rows: Fixture['rows'] }> {
  const { secretKey, migrations, partitions, rows } = await readFixture(version)
  await migrate(connection, { migrations: (await readMigrations()).slice(0, migrations) })
  await connected(connection, async (owner) => {
    // As releases before 0.2.0 made it.
    if (!Object.hasOwn(rows.migrations![0] as object, 'contract'))
      await owner.query('alter table migrations drop column contract')
    const { rows: made } = await owner.query<{ name: string }>(partitionsText)
    for (const { name } of made) await owner.query(`drop table ${name}`)
    for (const { parent, name, bound } of partitions)
      await owner.query(`create table ${name} partition of ${parent} ${bound}`)
  })
  await connected(superuser, async (client) => {
    await client.query('set session_replication_role = replica')
    for (const [table, kept] of Object.entries(rows)) {
      await client.query(`delete from ${table}`)
      await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(kept),
      ])
    }
  })
  return { secretKey, rows }
}
