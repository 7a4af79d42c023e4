import type { ClientConfig } from 'pg'
import { housekeeping } from '../domain/audit/change.ts'
import { type Database, openDatabase } from '../infra/db/db.ts'
import { borrowCluster, startCluster } from '../infra/db/embedded.ts'
import { migrate } from '../infra/db/migrate.ts'
import { secretFile } from '../infra/db/secret-file.ts'
import type { Logger } from '../infra/log.ts'
import { type Secrets, secretsFrom } from '../infra/secrets.ts'
import type { Config } from './config.ts'

/** The migrated database and the secrets that belong to it: what the server and every command stand on. */
export interface Storage extends Database {
  connection: ClientConfig
  /** Whether the server acts as a role that cannot rewrite the audit log. */
  asAppRole: boolean
  secrets: Secrets
  /** The database is embedded, and this process serves from it: no other does. */
  alone: boolean
  /** For whoever leaves without closing it: the embedded database then stops by itself. */
  abandon(): void
}

export class StorageError extends Error {}

/** `serve` owns the embedded database; a command borrows that of a running server, or starts it for its own length. */
export async function openStorage(
  config: Config,
  log: Logger,
  purpose: 'serve' | 'command',
): Promise<Storage> {
  const say = (line: string) => log.info(line)
  const cluster = config.databaseUrl
    ? null
    : await (purpose === 'serve' ? startCluster : borrowCluster)(config.dataDir, { log: say })
  const connection: ClientConfig = cluster
    ? { ...cluster.connection }
    : { connectionString: config.databaseUrl! }
  try {
    const { appRole } = await migrate(connection, say)
    if (!appRole) {
      log.warn(
        'the database user cannot create roles: the audit log is guarded by triggers alone. See docs/manual/operating.md.',
      )
    }
    const secrets = secretsFrom(config.secretKey ?? (await secretFile(config.dataDir, 'secret.key')))
    const database = openDatabase({
      connection,
      connections: config.databaseConnections,
      statementSeconds: config.databaseStatementSeconds,
      asAppRole: appRole,
      onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    })
    await refuseOtherKey(database, secrets)
    return {
      ...database,
      connection,
      asAppRole: appRole,
      secrets,
      alone: cluster !== null && purpose === 'serve',
      async close() {
        try {
          await database.close()
        } finally {
          await cluster?.stop()
        }
      },
      abandon: () => cluster?.abandon(),
    }
  } catch (error) {
    await cluster?.stop()
    throw error
  }
}

/** Two nodes with two keys would each refuse what the other has signed and sealed. */
async function refuseOtherKey({ db }: Database, { fingerprint }: Secrets): Promise<void> {
  const first = await housekeeping(db, 'which key the database was set up with', async (tx) => {
    await tx
      .insertInto('instance')
      .values({ secret_fingerprint: fingerprint })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return tx.selectFrom('instance').select('secret_fingerprint').executeTakeFirstOrThrow()
  })
  if (first.secret_fingerprint === fingerprint) return
  throw new StorageError(
    'This database was set up with another SECRET_KEY. Set SECRET_KEY to the key of the first node, or copy secret.key from its data folder.',
  )
}
