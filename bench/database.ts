import pg from 'pg'
import type { Connection } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'

const template = 'bench_template'
let migrated: Promise<unknown> | null = null

/** A migrated database of its own on the bench's cluster. Migrating takes seconds, so it is done once and copied. */
export async function freshDatabase(cluster: Connection, database: string): Promise<Connection> {
  migrated ??= create(cluster, template, 'template0').then(() => migrate({ ...cluster, database: template }))
  await migrated
  await create(cluster, database, template)
  return { ...cluster, database }
}

async function create(cluster: Connection, database: string, from: string): Promise<void> {
  const admin = new pg.Client({ ...cluster, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${database} template ${from}`)
  await admin.end()
}
