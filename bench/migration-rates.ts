import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startCluster } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'
import { fillWithEntries } from './audit.ts'

/**
 * Prints what changing a table costs, measured on a million audit entries: what `migrate --plan` estimates by
 * (server/infra/db/plan-migrations.ts).
 */

const entries = 1_000_000

const works: [name: string, per: 'row' | 'byte', statement: string][] = [
  ['changes the catalog only', 'row', `alter table measured add column mood text not null default ''`],
  ['builds an index', 'row', 'create index on measured (workspace_id, team, event, id)'],
  ['checks every row', 'byte', `alter table measured add check (mood <> 'angry')`],
  ['changes rows', 'row', `update measured set mood = 'good'`],
  ['rewrites the table', 'byte', 'alter table measured alter column mood type varchar(50)'],
]

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-rates-'))
const cluster = await startCluster(folder, { log: () => {} })
try {
  await migrate(cluster.connection)
  const client = new pg.Client(cluster.connection)
  await client.connect()
  // The log itself refuses to be changed.
  await client.query('create table measured (like audit_entries including all)')
  await client.query(fillWithEntries('measured'), [randomUUID(), entries])
  await client.query('vacuum analyze measured')
  const { rows } = await client.query<{ bytes: number }>(`select pg_table_size('measured')::float8 as bytes`)
  const gigabytes = rows[0]!.bytes / 1e9
  process.stdout.write(`${entries.toLocaleString('en')} audit entries, ${gigabytes.toFixed(2)} GB\n`)
  for (const [name, per, statement] of works) {
    const began = performance.now()
    await client.query(statement)
    const seconds = (performance.now() - began) / 1_000
    const rate =
      per === 'row'
        ? `${seconds.toFixed(1)} s per million rows`
        : `${(seconds / gigabytes).toFixed(1)} s per GB`
    process.stdout.write(`${name}: ${seconds.toFixed(2)} s, ${rate}\n`)
  }
  await client.end()
} finally {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
