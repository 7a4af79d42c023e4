import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { asService, type Context } from '../../context.ts'
import { changeTogether, type Entry } from '../audit/change.ts'
import { detailsOf } from '../audit/details.ts'
import { idsOfMonth } from '../audit/month.ts'
import type { MonthHead } from './month-file.ts'
import {
  dropMonthOfAllWorkspaces,
  insertMonth,
  selectAllWorkspaces,
  selectExtentOfMonth,
  selectRestoresOfMonth,
} from './store.ts'
import { MonthStays, writeMonth } from './write-month.ts'

export interface ArchiveServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  signing: Secrets['signing']
  /** Acts as the owner of the tables: the server's own role cannot drop any. */
  owner: Context['db']
  /** Whether the log is sent somewhere else, which then has to have it first. */
  streams: boolean
  /** Writes a file and reads it back. One that is already there and holds the same is left as it is. Returns its head. */
  keep(head: MonthHead, lines: AsyncIterable<string>): Promise<{ file: string; head: MonthHead }>
}

interface Written {
  workspace: { id: string; slug: string; name: string }
  entries: number
  file: string
  note: string
  restored: string[]
}

/**
 * Writes a month of every log to a file each, and then drops it. What went, the signed notes about it and the entries
 * that say so are one transaction. Returns how many entries that were.
 */
export async function archiveMonth(services: ArchiveServices, month: string): Promise<number> {
  const written: Written[] = []
  for (const workspace of await selectAllWorkspaces(services.db)) {
    const one = await writtenOf(services, workspace, month)
    if (one) written.push(one)
  }
  const entries = written.reduce((total, one) => total + one.entries, 0)
  const { owner, clock, queue } = services
  await changeTogether({ db: owner, queue }, async (tx) => {
    const at = clock.now()
    await dropMonthOfAllWorkspaces(tx, month, entries)
    for (const { workspace, ...one } of written) await insertMonth(tx, workspace.id, { month, at, ...one })
    return { value: undefined, audit: written.map((one) => entryOf(services, month, one)) }
  })
  return entries
}

function entryOf(services: ArchiveServices, month: string, one: Written): { ctx: Context; entry: Entry } {
  const { workspace, entries, file, note } = one
  return {
    ctx: asService(services, workspace.id),
    entry: {
      event: 'audit_month_archived',
      entity: { type: 'audit_log', id: workspace.id },
      details: { month, entries, file, signedNote: note },
    },
  }
}

/** Null where the workspace has nothing in that month. */
async function writtenOf(
  { db, clock, signing, streams, keep }: ArchiveServices,
  workspace: Written['workspace'],
  month: string,
): Promise<Written | null> {
  const ids = idsOfMonth(month)
  const { entries, sealed, first, last, sent } = await selectExtentOfMonth(db, workspace.id, ids)
  if (entries === 0) return null
  const name = `${month} of workspace ${workspace.slug}`
  if (sealed < entries || first === null || last === null)
    throw new MonthStays(
      `${entries - sealed} entries of ${name} are not sealed. Verify the log with verify-audit.`,
    )
  if (streams && (sent ?? 0) <= last)
    throw new MonthStays(`${name} is not sent to AUDIT_STREAM yet. It is archived after that.`)
  const about = { workspace, month, first, last, at: clock.now() }
  const { head, lines } = await writeMonth(db, signing, about)
  if (head.entries !== entries)
    throw new MonthStays(
      `${name} has ${entries} entries, and ${head.entries} of them are in its tree. Verify the log with verify-audit.`,
    )
  const kept = await keep(head, lines)
  const restored = (await selectRestoresOfMonth(db, workspace.id, ids)).flatMap(
    (entry) => detailsOf(fromJson(entry), 'workspace_restored')?.signedNote ?? [],
  )
  return { workspace, entries, file: kept.file, note: kept.head.note, restored }
}
