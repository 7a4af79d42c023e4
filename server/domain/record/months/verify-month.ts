import type { KeyObject } from 'node:crypto'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { PartsInOrder } from '../../../infra/merkle.ts'
import { readVerifierKey } from '../../../infra/signed-note.ts'
import { monthOf } from '../audit/month.ts'
import { type ArchivedMonth, MonthTally, openArchivedMonth } from '../seals/archived-month.ts'
import { entryHash } from '../seals/canonical.ts'
import { originOf } from '../seals/checkpoint.ts'
import { Findings } from '../seals/findings.ts'
import { followKeys } from '../seals/log-keys.ts'
import { openSealed } from '../seals/open-sealed.ts'
import { type MonthEntry, type MonthHead, type MonthPart, monthFormat } from './month-file.ts'

export interface CheckedMonth {
  /** Null where the file does not say what it is. */
  head: MonthHead | null
  /** What the signed note in it says; null where no key of the log has signed it. */
  archived: ArchivedMonth | null
  findings: string[]
}

const mostFindings = 1_000

/**
 * Checks the file of a month, line by line, without network or database. No findings: every entry is in the signed log
 * unchanged, and the file has all that the month had, because a signed note says how many there were and what they hash
 * to. Without a key of one's own the key in the file is trusted.
 */
export async function verifyMonth(
  lines: AsyncIterable<string>,
  publicKey: KeyObject | null,
): Promise<CheckedMonth> {
  const findings = new Findings(mostFindings)
  const tally = new MonthTally()
  const parts = new PartsInOrder()
  let head: MonthHead | null = null
  for await (const line of lines) {
    if (head === null) {
      head = headIn(line)
      if (head === null)
        return { head, archived: null, findings: ['The file is not a month of an audit log.'] }
      continue
    }
    const part = partIn(line)
    if (part === null) findings.add('A line of the file cannot be read: it was changed or cut off.')
    else if ('entry' in part) {
      findings.add(...entryFindings(part, head.month))
      const hash = Buffer.from(part.hash, 'base64')
      tally.add(hash)
      parts.add({ from: part.position, to: part.position + 1, hash })
    } else parts.add({ ...part, hash: Buffer.from(part.hash, 'base64') })
  }
  if (head === null) return { head, archived: null, findings: ['The file is empty.'] }
  const archived = noteIn(head, publicKey)
  findings.add(...sealFindings(head, publicKey, parts), ...completenessFindings(head, archived, tally))
  return { head, archived, findings: findings.all() }
}

function headIn(line: string): MonthHead | null {
  const head = parsed<MonthHead>(line)
  return head?.format === monthFormat && typeof head.workspace === 'string' ? head : null
}

function partIn(line: string): MonthPart | null {
  const part = parsed<MonthPart>(line)
  return typeof part?.hash === 'string' ? part : null
}

function parsed<T>(line: string): T | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function entryFindings({ position, hash, entry }: MonthEntry, month: string): string[] {
  const { id } = entry as AuditEntry
  const name = `Entry ${id} at position ${position}`
  if (entryHash(entry).toString('base64') !== hash) return [`${name} was changed: it is not what was sealed.`]
  return monthOf(String(id)) === month ? [] : [`${name} is not of ${month}.`]
}

function noteIn(head: MonthHead, publicKey: KeyObject | null): ArchivedMonth | null {
  try {
    const from = publicKey ?? readVerifierKey(head.key).publicKey
    const keys = followKeys(from, head.keyChanges ?? [], originOf(head.workspace), { successors: true })
    return openArchivedMonth(head.note, head.workspace, keys)
  } catch {
    return null
  }
}

function sealFindings(head: MonthHead, publicKey: KeyObject | null, parts: PartsInOrder): string[] {
  try {
    const { workspaceId, size, root } = openSealed(head, publicKey)
    if (workspaceId !== head.workspace)
      return [`The checkpoint is signed for workspace ${workspaceId}, not for ${head.workspace}.`]
    if (parts.root(size)?.equals(root)) return []
  } catch (error) {
    return [`The signature of the checkpoint is wrong: ${(error as Error).message}`]
  }
  return ['The lines of the file do not lead to the signed root: some were removed, added or moved.']
}

/**
 * Someone who shortens a file can pass off the hashes of entries as those of other months; not what was signed about
 * it.
 */
function completenessFindings(head: MonthHead, archived: ArchivedMonth | null, tally: MonthTally): string[] {
  if (!archived)
    return [
      'The note that says what the month had is not signed with a key of this log, so nothing shows that the file is complete.',
    ]
  if (archived.month !== head.month || head.entries !== archived.entries)
    return [`The head of the file is not that of ${archived.month} with ${archived.entries} entries.`]
  if (tally.entries !== archived.entries)
    return [`The file has ${tally.entries} entries, and ${archived.month} had ${archived.entries}.`]
  return tally.digest() === archived.digest
    ? []
    : [`The entries of the file are not those of ${archived.month}.`]
}
