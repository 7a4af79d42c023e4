import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Secrets } from '../../infra/secrets.ts'
import { housekeeping } from '../audit/change.ts'
import { heedRefusals, type Reached } from '../connections/heed-refusals.ts'
import { openConnection } from '../connections/open.ts'
import type { Context } from '../context.ts'
import type { DueEffect } from '../outbox/effect.ts'
import type { Performed } from '../outbox/perform.ts'
import { ToolBusy } from '../ports/connection.ts'
import type { Tracker, TrackerProject, Trackers } from '../ports/tracker.ts'
import { type Binding, selectPause, upsertPause } from './store.ts'

export interface MirrorServices {
  trackers: Trackers
  secrets: Pick<Secrets, 'decrypt'>
  /** Known once the server listens. */
  publicUrl: () => string
}

/**
 * Works with the tracker that a team is bound to. A tool that has asked to be left alone is not called until then, by
 * nobody: the first to be told writes it down for all.
 */
export async function reach<T>(
  ctx: Context,
  { trackers, secrets }: Pick<MirrorServices, 'trackers' | 'secrets'>,
  binding: Binding,
  work: (tracker: Tracker, at: TrackerProject) => Promise<T>,
): Promise<T> {
  const { connectionId, kind, project, label } = binding
  const now = ctx.clock.now()
  const until = await selectPause(ctx.db, ctx.workspaceId, connectionId, now)
  if (until) {
    const waitMs = until.getTime() - now.getTime()
    throw new ToolBusy(`${toolNames[kind]} asked us to wait until ${clockTime(until)}.`, waitMs, now)
  }
  if (kind === 'slack') throw new Error('Slack is no tracker.')
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, connectionId)
  try {
    return await work(trackers[kind], { connection, project, label })
  } catch (error) {
    if (error instanceof ToolBusy && error.retryAt) {
      const { retryAt } = error
      await housekeeping(ctx.db, 'note until when a tool is left alone', (tx) =>
        upsertPause(tx, ctx.workspaceId, connectionId, retryAt),
      )
    }
    throw error
  }
}

const clockTime = (at: Date) => `${at.toISOString().slice(11, 16)} UTC`

/** The same for what is to be done there: what the project or the whole tool refuses waits until it is mended. */
export const reachFor = (
  ctx: Context,
  services: Pick<MirrorServices, 'trackers' | 'secrets'>,
  effect: DueEffect,
  binding: Binding,
  work: (tracker: Tracker, at: TrackerProject) => Promise<Performed>,
): Promise<Performed> =>
  heedRefusals(ctx, effect, placeOf(binding), () => reach(ctx, services, binding, work))

/** What of the connection a binding uses. */
export const placeOf = ({ connectionId, project }: Binding): Reached => ({
  connectionId,
  place: `project/${project.id}`,
})
