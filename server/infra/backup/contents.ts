import { createHash, type Hash } from 'node:crypto'
import type { Applied } from '../db/migration-files.ts'
import { BrokenArchive, type TarEntry } from './tar.ts'

/** What a part of a backup says about itself, before everything else. */
export interface Manifest {
  format: 1
  part: 'database' | 'secrets'
  /** Both parts of one backup have the same. */
  id: string
  /** As of when it is. */
  takenAt: string
  /** Of the software that made it. */
  version: string
  /** Tells whether a SECRET_KEY is the one that it needs, without being it. */
  fingerprint: string
}

/** Of the database. */
export interface DatabaseManifest extends Manifest {
  part: 'database'
  postgres: string
  /** The schema is what these make of an empty database. */
  migrations: Applied[]
  tables: TableShape[]
}

export interface TableShape {
  name: string
  columns: string[]
  /** Of a table that is cut in parts, one row each. */
  partition: { of: string; bounds: string } | null
}

/** What came after all: it is known only then. */
export interface DatabaseEnd {
  tables: Record<string, { rows: number; sha256: string }>
  sequences: Record<string, string>
}

export const manifestName = 'manifest.json'
export const endName = 'end.json'
const pieceBytes = 4 * 1024 * 1024

export const jsonEntry = (name: string, value: unknown): TarEntry => ({
  name,
  bytes: Buffer.from(JSON.stringify(value, null, 2)),
})

export function readJson<T>({ name, bytes }: TarEntry): T {
  try {
    return JSON.parse(bytes.toString())
  } catch (cause) {
    throw new BrokenArchive(`The backup is damaged: ${name} in it cannot be read.`, { cause })
  }
}

/** Cuts a stream into entries: `NAME/000001.EXTENSION` and so on; none where nothing comes. */
export async function* piecesOf(
  name: string,
  extension: string,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<TarEntry> {
  let count = 0
  let held: Buffer[] = []
  let size = 0
  const next = (): TarEntry => {
    count += 1
    const bytes = Buffer.concat(held)
    held = []
    size = 0
    return { name: `${name}/${String(count).padStart(6, '0')}.${extension}`, bytes }
  }
  for await (const chunk of source) {
    held.push(chunk)
    size += chunk.length
    if (size >= pieceBytes) yield next()
  }
  if (size > 0) yield next()
}

/** The table that a piece belongs to; null: it is none. */
export const tableOf = (name: string): string | null => /^data\/([^/]+)\/\d+\.copy$/.exec(name)?.[1] ?? null

/** Counts rows and hashes what passes. Rows end with a line break, and nothing else does: COPY writes those in values as \n. */
export class Tally {
  readonly #tables = new Map<string, { rows: number; hash: Hash }>()

  add(table: string, bytes: Buffer): void {
    const one = this.#tables.get(table) ?? { rows: 0, hash: createHash('sha256') }
    this.#tables.set(table, one)
    one.hash.update(bytes)
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) one.rows += 1
  }

  of(tables: Iterable<string>): DatabaseEnd['tables'] {
    return Object.fromEntries(
      [...tables].map((table) => {
        const { rows, hash } = this.#tables.get(table) ?? { rows: 0, hash: createHash('sha256') }
        return [table, { rows, sha256: hash.copy().digest('hex') }]
      }),
    )
  }
}

/** Passes the entries of a database on, and fails unless all that was written has come, as it was written. */
export async function* checkedContents(entries: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  const tally = new Tally()
  let manifest: DatabaseManifest | undefined
  let end: DatabaseEnd | undefined
  for await (const entry of entries) {
    if (!manifest) manifest = readManifest(entry, 'database') as DatabaseManifest
    if (end) throw new BrokenArchive('The backup is damaged: something follows its end.')
    if (entry.name === endName) end = readJson(entry)
    const table = tableOf(entry.name)
    if (table !== null) tally.add(table, entry.bytes)
    if (end) compare(manifest, tally, end)
    yield entry
  }
  if (!end) throw new BrokenArchive('The backup is cut short: its end is missing.')
}

/** The first entry says what all of it is. */
export function readManifest(entry: TarEntry, part: Manifest['part']): Manifest {
  const manifest = entry.name === manifestName ? readJson<Manifest>(entry) : null
  if (!manifest) throw new BrokenArchive('The file is not a backup of Signalbox.')
  if (manifest.format !== 1)
    throw new BrokenArchive('The backup was made by a newer version of Signalbox. Update Signalbox first.')
  if (manifest.part !== part)
    throw new BrokenArchive(`The file holds the ${manifest.part} part of a backup, not the ${part} part.`)
  return manifest
}

function compare({ tables }: DatabaseManifest, tally: Tally, end: DatabaseEnd): void {
  const found = tally.of(tables.map(({ name }) => name))
  for (const [table, { rows, sha256 }] of Object.entries(found)) {
    const written = Object.hasOwn(end.tables, table) ? end.tables[table] : undefined
    if (written?.rows !== rows || written.sha256 !== sha256)
      throw new BrokenArchive(
        `The backup is damaged: table ${table} has ${rows} rows, which are not the ones that were written.`,
      )
  }
}
