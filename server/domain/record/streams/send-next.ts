import type { Context } from '../../context.ts'
import type { AuditSink } from '../../ports/audit-sink.ts'
import { housekeeping } from '../audit/change.ts'
import { revealEntries } from '../audit/reveal.ts'
import {
  leaseStreamOfInstance,
  releaseStreamOfInstance,
  selectNextEntries,
  selectWaitingOfAllWorkspaces,
  updateFailureOfInstance,
  updateSentOfInstance,
  upsertPosition,
} from './store.ts'

/** Longer than a batch may take: the node that sends has it renewed before each. */
const leaseSeconds = 60
const sendMs = 30_000
const workspacesPerRound = 50
const entriesPerBatch = 100

export interface StreamServices extends Pick<Context, 'db' | 'clock'> {
  sink: AuditSink
  /** This process among the others. */
  node: string
  /** The server is stopping. */
  signal: AbortSignal
}

/**
 * Sends the next entries of every log that has some, in the order in which they were sealed. How far it has come is
 * written after they were received, so what was sent when a node died is sent again. True: there may be more.
 */
export async function sendNextEntries(services: StreamServices): Promise<boolean> {
  const { db, signal } = services
  const waiting = await selectWaitingOfAllWorkspaces(db, workspacesPerRound)
  let isMore = false
  for (const { workspaceId, workspace, position, size } of waiting) {
    if (signal.aborted || !(await isOurTurn(services))) return false
    const found = await selectNextEntries(db, workspaceId, position, entriesPerBatch)
    const stored = withoutGap(found)
    if (stored.length === 0) {
      // All that is left of it is in files of archived months.
      await housekeeping(db, 'pass over archived entries', (tx) => upsertPosition(tx, workspaceId, size))
      continue
    }
    const shown = await revealEntries(
      db,
      workspaceId,
      stored.map(({ json }) => json),
    )
    const entries = stored.map(({ position }, index) => ({ position, json: shown[index]! }))
    await send(services, { workspaceId, workspace, entries })
    isMore ||= entries.length < found.length || found.length === entriesPerBatch
  }
  return isMore || waiting.length === workspacesPerRound
}

/** Receivers count positions from the first one, so a batch ends where entries of an archived month are left out. */
function withoutGap<E extends { position: number }>(entries: readonly E[]): readonly E[] {
  const gap = entries.findIndex(({ position }, index) => position !== entries[0]!.position + index)
  return gap === -1 ? entries : entries.slice(0, gap)
}

/** The node stops: another one goes on at once. */
export const leaveStream = ({ db, node }: Pick<StreamServices, 'db' | 'node'>): Promise<void> =>
  housekeeping(db, 'leave the audit log to another node', (tx) => releaseStreamOfInstance(tx, node))

const isOurTurn = ({ db, node }: StreamServices): Promise<boolean> =>
  housekeeping(db, 'send the audit log from one node', (tx) => leaseStreamOfInstance(tx, node, leaseSeconds))

async function send(
  { db, clock, sink, signal }: StreamServices,
  batch: Parameters<AuditSink['send']>[0],
): Promise<void> {
  try {
    await sink.send(batch, AbortSignal.any([signal, AbortSignal.timeout(sendMs)]))
  } catch (error) {
    if (!signal.aborted)
      await housekeeping(db, 'note that the audit log cannot be sent', (tx) =>
        updateFailureOfInstance(tx, clock.now(), (error as Error).message.slice(0, 1_000)),
      )
    throw error
  }
  await housekeeping(db, 'note how far the audit log was sent', async (tx) => {
    await upsertPosition(tx, batch.workspaceId, batch.entries.at(-1)!.position + 1)
    await updateSentOfInstance(tx, clock.now())
  })
}
