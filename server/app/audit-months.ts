import type { KeyObject } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { archiveMonth } from '../domain/record/months/archive-month.ts'
import { dueMonths } from '../domain/record/months/due.ts'
import { type MonthHead, monthFileName } from '../domain/record/months/month-file.ts'
import { type CheckedMonth, verifyMonth } from '../domain/record/months/verify-month.ts'
import { MonthStays } from '../domain/record/months/write-month.ts'
import { openArchivedMonth } from '../domain/record/seals/archived-month.ts'
import type { ArchivedFile } from '../domain/record/seals/verify-log.ts'
import { openDatabase } from '../infra/db/db.ts'
import { every } from '../infra/every.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { onOneNode } from './on-one-node.ts'
import type { Base, Part } from './parts.ts'

const lookEveryMs = 600_000
/** Held by the node that archives, for as long as it does. */
const archiveLock = 4421
/** A long read, such as a backup, has the log. */
const lockNotAvailable = '55P03'

/** Archives months of the audit log when they are old enough, if RETENTION_AUDIT_MONTHS is set. */
export function startAuditMonths(base: Omit<Base, 'metrics'>): Part {
  if (!base.config.auditMonths) return { stop: () => {} }
  return every(lookEveryMs, 'archive months of the audit log', base.log, () => archiveDueMonths(base))
}

/** Returns which months went. What cannot go yet, because someone reads the log for long, goes the next time. */
export async function archiveDueMonths(base: Omit<Base, 'metrics'>): Promise<string[]> {
  const { config, clock, log, storage } = base
  const { auditMonths } = config
  if (!auditMonths) return []
  const { db, secrets, direct } = storage
  const isDue = () => dueMonths({ db, clock }, auditMonths.keep)
  if ((await isDue()).length === 0) return []
  const done = await onOneNode(direct, { lock: archiveLock, name: 'archive' }, async () => {
    const owner = openDatabase({
      ...{ connection: direct, connections: 2, asAppRole: false },
      statementSeconds: config.databaseStatementSeconds,
      onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    })
    const { signing } = secrets
    const streams = config.auditStream !== null
    const keep = (head: MonthHead, lines: AsyncIterable<string>) =>
      keepMonth(auditMonths.dir, signing.publicKey, head, lines)
    const services = { db, clock, queue: silentQueue, signing, owner: owner.db, streams, keep }
    const gone: string[] = []
    try {
      // Another node may have archived some of them while this one asked.
      for (const month of await isDue()) {
        const entries = await archiveMonth(services, month).catch((error) => {
          if (!(error instanceof MonthStays) && error.code !== lockNotAvailable) throw error
          log.warn({ err: error, month }, 'a month of the audit log cannot be archived yet; trying again')
          return null
        })
        if (entries === null) break
        log.info({ month, entries, dir: auditMonths.dir }, 'archived a month of the audit log')
        gone.push(month)
      }
    } finally {
      await owner.close()
    }
    return gone
  })
  return done ?? []
}

/** The lines of a month's file. */
export function linesOfMonth(file: string): AsyncIterable<string> {
  const input = file.endsWith('.gz') ? createReadStream(file).pipe(createGunzip()) : createReadStream(file)
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
}

/** Files of archived months that are missing, or are not what was taken out of the log: a sentence for each. */
export async function checkArchive(dir: string, archived: readonly ArchivedFile[]): Promise<string[]> {
  const findings: string[] = []
  for (const { file, note, publicKeys } of archived) {
    const here = path.join(dir, path.basename(file))
    if (!existsSync(here)) {
      findings.push(`The file of an archived month is missing: ${here}.`)
      continue
    }
    const { head, findings: found } = await checkedWithAny(here, publicKeys)
    findings.push(...found.map((finding) => `${here}: ${finding}`))
    if (head && head.note !== note)
      findings.push(`${here} is not the file that was written when its month was archived.`)
  }
  return findings
}

/** A file knows of no key that came after it, so it is checked with the one that was in use then. */
async function checkedWithAny(file: string, publicKeys: readonly KeyObject[]): Promise<CheckedMonth> {
  let checked: CheckedMonth = { head: null, archived: null, findings: [] }
  for (const publicKey of publicKeys) {
    checked = await verifyMonth(linesOfMonth(file), publicKey)
    if (checked.archived) break
  }
  return checked
}

/**
 * Writes the file, unless one with the same entries is there from an attempt that failed later, and reads it back. It
 * has its name only once it is complete: the folder may be one in which nothing can be changed.
 */
async function keepMonth(
  dir: string,
  publicKey: KeyObject,
  head: MonthHead,
  lines: AsyncIterable<string>,
): Promise<{ file: string; head: MonthHead }> {
  const file = path.join(dir, monthFileName(head.month, head.workspace))
  const there = existsSync(file) ? await readBack(file, publicKey, head) : null
  if (there) return { file, head: there }
  const unfinished = `${file}.unfinished`
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await rm(unfinished, { force: true })
  await pipeline(
    Readable.from(lines),
    createGzip(),
    createWriteStream(unfinished, { mode: 0o600, flags: 'wx', flush: true }),
  )
  await rename(unfinished, file)
  return { file, head: await readBack(file, publicKey, head) }
}

/** The head of a file that holds this month, whole and as it was sealed; fails for any other. */
async function readBack(file: string, publicKey: KeyObject, wanted: MonthHead): Promise<MonthHead> {
  const { head, archived, findings } = await verifyMonth(linesOfMonth(file), publicKey)
  const ours = openArchivedMonth(wanted.note, wanted.workspace, [{ publicKey, until: null }])
  const isSame = ours && archived?.digest === ours.digest && archived.month === ours.month
  if (head && isSame && findings.length === 0) return head
  throw new Error(
    `${file} does not hold the entries of ${wanted.month}: ${findings[0] ?? 'it has other entries.'} The month stays in the database. Move the file away and check the disk.`,
  )
}
