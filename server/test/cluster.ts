import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Cluster, startCluster } from '../infra/db/embedded.ts'
import { migrate } from '../infra/db/migrate.ts'

/** The global setup of a test run: one PostgreSQL for the whole of it, with a migrated template database. */

export const clusterVariable = 'SIGNALBOX_TEST_CLUSTER'
export const template = 'signalbox_template'

let cluster: Cluster
let folder: string

export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-test-'))
  cluster = await startCluster(folder, {
    log: () => {},
    // Nothing here has to survive a power cut; tests about surviving start a cluster of their own.
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '300' },
  })
  const client = new pg.Client(cluster.connection)
  await client.connect()
  await client.query(`create database ${template}`)
  await client.end()
  await migrate({ ...cluster.connection, database: template })
  process.env[clusterVariable] = JSON.stringify(cluster.connection)
}

export async function globalTeardown(): Promise<void> {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
