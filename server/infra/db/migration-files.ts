import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export class MigrationError extends Error {}

/** What the database notes of a migration. */
export interface Applied {
  number: number
  name: string
  checksum: string
  /** The newest migration that a node must know to work beside this one; 0 where it only adds to the schema. */
  contract: number
}

export interface Migration extends Applied {
  text: string
  /** It is run statement by statement outside a transaction, as `concurrently` and batches need it. */
  online: boolean
  /** Checksums of texts that it had before it was released: a database that has applied one of them is the same. */
  former: string[]
}

export const migrationsFolder = path.join(import.meta.dirname, '..', '..', 'migrations')

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const migration = migrationFrom(name, await readFile(path.join(migrationsFolder, name), 'utf8'))
      if (migration.number !== index + 1) throw new MigrationError(`Migration ${name} is out of sequence.`)
      return migration
    }),
  )
}

export function migrationFrom(name: string, text: string): Migration {
  const number = Number(name.slice(0, 4))
  const checksum = createHash('sha256').update(text).digest('hex')
  return { number, name, text, checksum, ...headersOf(name, number, text) }
}

/** What its first lines declare: `-- contract: 0054`, `-- online`, `-- formerly: ` and a checksum. */
function headersOf(
  name: string,
  number: number,
  text: string,
): Pick<Migration, 'contract' | 'online' | 'former'> {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const headers = lines.slice(0, end)
  const declared = headers.find((line) => line.startsWith('-- contract:'))
  const contract = declared ? Number(/^-- contract: (\d{4})$/.exec(declared)?.[1]) : 0
  if (!(contract < number))
    throw new MigrationError(
      `Migration ${name} has a header that cannot be read: "${declared}". Name the newest migration before it that a node must know, like "-- contract: 0054".`,
    )
  const former = headers
    .filter((line) => line.startsWith('-- formerly:'))
    .map((line) => {
      const checksum = /^-- formerly: ([\da-f]{64})$/.exec(line)?.[1]
      if (checksum) return checksum
      throw new MigrationError(
        `Migration ${name} has a header that cannot be read: "${line}". Name the SHA-256 of the text that it had before, in hexadecimal.`,
      )
    })
  return { contract, online: headers.includes('-- online'), former }
}

/** Whether what a database has noted is this migration, in its text of now or in one that it had before. */
export const isChecksumOf = ({ checksum, former }: Migration, noted: string | null): boolean =>
  noted !== null && (noted === checksum || former.includes(noted))

/**
 * The statements of a migration that is run one by one: each ends with a semicolon at the end of a line, outside $$.
 */
export function statementsIn(text: string): string[] {
  const statements: string[] = []
  let current: string[] = []
  let quoted = false
  for (const line of text.split('\n')) {
    if (current.length === 0 && (line.startsWith('--') || line.trim() === '')) continue
    current.push(line)
    if (line.split('$$').length % 2 === 0) quoted = !quoted
    if (quoted || !line.trimEnd().endsWith(';')) continue
    statements.push(current.join('\n'))
    current = []
  }
  return current.length > 0 ? [...statements, current.join('\n')] : statements
}

/** Whether it builds or drops an index while others write. It waits for their transactions, outside one of its own. */
export const isConcurrent = (statement: string): boolean =>
  /^\w+ (?:unique )?index concurrently/i.test(statement)

/** The migration in the way of a node that ends with `ours`; null when it can work beside all of them. */
export const contractedSince = (ours: number, applied: readonly Applied[]): Applied | null =>
  applied.find(({ contract }) => contract > ours) ?? null
