import pg from 'pg'
import type { Connection } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'

const template = 'bench_template'
const migrated = new Map<string, Promise<unknown>>()

/** A migrated database of its own on a cluster. Migrating takes seconds, so it is done once for each and copied. */
export async function freshDatabase(cluster: Connection, database: string): Promise<Connection> {
  const name = `${cluster.host}:${cluster.port}`
  const once =
    migrated.get(name) ??
    create(cluster, template, 'template0').then(() => migrate({ ...cluster, database: template }))
  migrated.set(name, once)
  await once
  await create(cluster, database, template)
  return { ...cluster, database }
}

async function create(cluster: Connection, database: string, from: string): Promise<void> {
  const admin = new pg.Client({ ...cluster, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${database} template ${from}`)
  await admin.end()
}
