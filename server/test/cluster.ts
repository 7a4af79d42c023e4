import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Cluster, type Connection, startCluster } from '../infra/db/embedded.ts'
import { login } from '../infra/db/login.ts'
import { migrate } from '../infra/db/migrate.ts'
import { superuserOf } from './superuser.ts'

/** The global setup of a test run: one PostgreSQL for the whole of it, with a migrated template database. */

const clusterVariable = 'SIGNALBOX_TEST_CLUSTER'
export const template = 'signalbox_template'

let cluster: Cluster
let folder: string

export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-test-'))
  cluster = await startCluster(folder, {
    log: () => {},
    // Nothing here has to survive a power cut; tests about surviving start a cluster of their own.
    settings: {
      ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '500' },
      // Hundreds of databases that live for seconds are not worth being tidied up in turn.
      autovacuum: 'off',
      // There are thousands of connections and no one guesses passwords; slowing down guesses is half the cost of a
      // sign-in.
      scram_iterations: '1',
    },
  })
  const made: Clients = {
    login: cluster.connection,
    superuser: await superuserOf(folder, cluster.connection),
  }
  process.env[clusterVariable] = JSON.stringify(made)
  await createDatabase(template, 'template0')
  await migrate({ ...made.login, database: template })
}

interface Clients {
  /** As the server connects. */
  login: Connection
  superuser: Connection
}

export const clients = (): Clients =>
  JSON.parse(
    process.env[clusterVariable] ??
      raise('Run tests with `npm test`, or `npx node scripts/test.ts FILE` for one: they need its database.'),
  )

function raise(message: string): never {
  throw new Error(message)
}

export async function createDatabase(name: string, from: string): Promise<void> {
  const client = new pg.Client({ ...clients().superuser, database: 'postgres' })
  await client.connect()
  // Half of what writing each page to the log as well would cost; nothing here has to survive.
  await client.query(`create database ${name} template ${from} strategy file_copy owner ${login}`)
  await client.end()
}

export async function globalTeardown(): Promise<void> {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
