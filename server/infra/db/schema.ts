import { type Db, read } from './db.ts'
import { isChecksumOf, type Migration, readMigrations } from './migration-files.ts'
import type * as Sql from './schema.types.ts'
import { statement } from './statement.ts'

/** The newest that is applied, what the database has noted of our own newest, and what shuts out older nodes. */
const appliedBeside = statement<Sql.AppliedBeside>(`
  select newest.number, newest.name,
    (select checksum from migrations where number = :ours) as checksum,
    (
      select name from migrations m where (to_jsonb(m) ->> 'contract')::integer > :ours order by number limit 1
    ) as contracted
  from migrations newest order by newest.number desc limit 1`)

/**
 * Tells why this code cannot work with the schema of the database; null when it can. A schema to which a newer version
 * has only added is as good as its own.
 */
export async function schemaCheck(db: Db): Promise<() => Promise<string | null>> {
  const ours = (await readMigrations()).at(-1)!
  return async () => obstacle(ours, (await read(db, appliedBeside, { ours: ours.number }))[0])
}

function obstacle(ours: Migration, applied: Sql.AppliedBeside['row'] | undefined): string | null {
  if (!applied) return 'The database has no migrations. Restore it, then restart this node.'
  if (applied.contracted)
    return `The database is newer than this node: it has migration ${applied.contracted}, which does not work with this version of Signalbox (up to ${ours.name}). Update this node.`
  if (applied.number < ours.number)
    return `The database is older than this node: it ends with migration ${applied.name}, and this version of Signalbox needs ${ours.name}. Restart this node, which migrates the database.`
  if (!isChecksumOf(ours, applied.checksum))
    return `Migration ${ours.name} in the database is not the one of this version of Signalbox. Run one version on all nodes.`
  return null
}
