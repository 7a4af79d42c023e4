import { answersRequest, openTimestamp, timestampRequest } from '../../../infra/timestamps.ts'
import type { Context } from '../../context.ts'
import type { Anchor, SentCheckpoint, TimestampAuthority } from '../../ports/anchor.ts'
import { housekeeping } from '../audit/change.ts'
import {
  insertTimestamp,
  selectAnchorsOfInstance,
  selectNewOfAllWorkspaces,
  upsertAnchored,
  upsertFailureOfInstance,
  upsertSentOfInstance,
} from './store.ts'

export interface AnchorServices extends Pick<Context, 'db' | 'clock'> {
  anchors: Readonly<Partial<Record<'folder' | 'webhook' | 'email', Anchor>>>
  authority: TimestampAuthority | null
  /** How often each place has what is new. */
  everyMs: number
  onFailure(target: AnchorTarget, error: Error): void
  /** The server is stopping. */
  signal: AbortSignal
}

type AnchorTarget = 'timestamp' | 'folder' | 'webhook' | 'email'

const sendMs = 30_000
const mostAtOnce = 500
/** One that failed is tried again sooner than the next is due. */
const retryMs = 5 * 60_000

/**
 * Sends the newest checkpoint of each log to each place that is due. A place that fails holds up no other, and is tried
 * again with what is newest then. The timestamp authority comes first, so that the others have its answer too.
 */
export async function sendCheckpoints(services: AnchorServices): Promise<void> {
  const { authority, anchors } = services
  if (authority) await attempt(services, 'timestamp', (some) => stampAll(services, authority, some))
  for (const [target, anchor] of Object.entries(anchors) as [AnchorTarget, Anchor][])
    await attempt(services, target, (some) => hand(services, target, anchor, some))
}

async function attempt(
  services: AnchorServices,
  target: AnchorTarget,
  send: (some: readonly SentCheckpoint[]) => Promise<void>,
): Promise<void> {
  const { db, clock, signal, onFailure } = services
  if (signal.aborted || !(await isDue(services, target))) return
  try {
    for (;;) {
      const some = await selectNewOfAllWorkspaces(db, target, mostAtOnce)
      if (some.length > 0) await send(some)
      if (some.length < mostAtOnce) break
    }
    await housekeeping(db, 'note that checkpoints were sent', (tx) =>
      upsertSentOfInstance(tx, target, clock.now()),
    )
  } catch (error) {
    if (signal.aborted) return
    const why = (error as Error).message.slice(0, 1_000)
    await housekeeping(db, 'note that checkpoints cannot be sent', (tx) =>
      upsertFailureOfInstance(tx, target, clock.now(), why),
    )
    onFailure(target, error as Error)
  }
}

async function isDue({ db, clock, everyMs }: AnchorServices, target: AnchorTarget): Promise<boolean> {
  const state = (await selectAnchorsOfInstance(db)).find((one) => one.target === target)
  if (!state?.triedAt) return true
  const pauseMs = state.error === null ? everyMs : Math.min(everyMs, retryMs)
  return clock.now().getTime() - state.triedAt.getTime() >= pauseMs
}

async function hand(
  { db, clock, signal }: AnchorServices,
  target: AnchorTarget,
  anchor: Anchor,
  some: readonly SentCheckpoint[],
): Promise<void> {
  await anchor.send(some, clock.now(), limited(signal))
  await housekeeping(db, 'note which checkpoints were sent', async (tx) => {
    for (const { workspaceId, size } of some) await upsertAnchored(tx, workspaceId, target, size)
  })
}

/** An answer is stored once it was checked: it is for this checkpoint, and for this request. */
async function stampAll(
  { db, clock, signal }: AnchorServices,
  authority: TimestampAuthority,
  some: readonly SentCheckpoint[],
): Promise<void> {
  for (const checkpoint of some) {
    const data = Buffer.from(checkpoint.note)
    const request = await timestampRequest(data)
    const response = await authority.ask(request, limited(signal))
    await openTimestamp(response, data, null)
    if (!(await answersRequest(response, request)))
      throw new Error('The timestamp authority answered another request.')
    const { workspaceId } = checkpoint
    await housekeeping(db, 'store the timestamp of a checkpoint', async (tx) => {
      await insertTimestamp(tx, workspaceId, checkpoint, response, clock.now())
      await upsertAnchored(tx, workspaceId, 'timestamp', checkpoint.size)
    })
  }
}

const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(sendMs)])
