import { type Db, read } from './db.ts'
import { type Applied, readMigrations } from './migrate.ts'
import type * as Sql from './schema.types.ts'
import { statement } from './statement.ts'

const newestApplied = statement<Sql.NewestApplied>(
  'select number, name, checksum from migrations order by number desc limit 1',
)

/** Tells how the schema of the database differs from what this code was written for; null when it does not. */
export async function schemaCheck(db: Db): Promise<() => Promise<string | null>> {
  const ours = (await readMigrations()).at(-1)!
  return async () => difference(ours, (await read(db, newestApplied, {}))[0])
}

function difference(ours: Applied, applied: Applied | undefined): string | null {
  if (!applied) return 'The database has no migrations. Restore it, then restart this node.'
  if (applied.number > ours.number)
    return `The database is newer than this node: it has migration ${applied.name}, and this version of Signalbox ends with ${ours.name}. Update this node.`
  if (applied.number < ours.number)
    return `The database is older than this node: it ends with migration ${applied.name}, and this version of Signalbox needs ${ours.name}. Restart this node, which migrates the database.`
  if (applied.checksum !== ours.checksum)
    return `Migration ${applied.name} in the database is not the one of this version of Signalbox. Run one version on all nodes.`
  return null
}
