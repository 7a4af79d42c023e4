import { dueDeliveries, type HookConsumers, understandDelivery } from '../../domain/connections/understand.ts'
import { asService, type Context } from '../../domain/context.ts'
import { dispatchTeam } from '../../domain/engine/dispatch.ts'
import { lookAtRedMains } from '../../domain/engine/look-at-main.ts'
import { lookAtPullRequests } from '../../domain/engine/look-at-pull-requests.ts'
import { sweep } from '../../domain/engine/sweep.ts'
import { handleSignals } from '../../domain/incidents/handle.ts'
import { type Performers, performEffect } from '../../domain/outbox/perform.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { WorkPort } from '../../domain/ports/work.ts'
import { waitingWorkspaces } from '../../domain/signals/waiting.ts'
import { Coalesced } from '../../infra/coalesced.ts'
import type { Jobs, Wake } from '../../infra/jobs/queue.ts'
import type { Logger } from '../../infra/log.ts'
import type { Metrics } from '../../infra/metrics.ts'

export interface WorkerServices extends Pick<Context, 'db' | 'clock'> {
  queue: Jobs
  work: Pick<WorkPort, 'serves'>
  /** Asked how main branches are that are red, and what became of pull requests; null: nobody has connected one. */
  gitHost?: Pick<GitHost, 'readMain' | 'readPullRequest'> | null
  performers: Performers
  /** Who understands what hooks bring. */
  hooks?: HookConsumers
  log: Logger
  metrics: Metrics
}

export interface Worker {
  /** Something waits to be understood in that workspace. */
  handleSignals(workspaceId: string): void
  /** Finds what should be moving and is not. */
  sweep(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Time is a caller too: turns wake-ups into verbs. */
export function workerFace(services: WorkerServices): Worker {
  const { db, clock, queue, work, gitHost, performers, hooks = {}, log, metrics } = services
  const signals = new Coalesced((workspaceId) => handleSignals(inWorkspace(workspaceId)), {
    apartMs: signalsApartMs,
    onError: (error) => {
      log.warn({ err: error }, 'alerts could not be understood; it is tried again')
      sweepSoon()
    },
  })
  const tasks: Record<string, (ctx: Context, id: string) => Promise<unknown>> = {
    team: (ctx, id) => dispatchTeam(ctx, id, work),
    effect: (ctx, id) => performEffect(ctx, id, performers),
    hook: (ctx, id) => understandDelivery(ctx, id, hooks),
  }
  const inWorkspace = (workspaceId: string) => asService({ db, clock, queue }, workspaceId)
  const handle = async ({ task, workspaceId, id }: Wake) => {
    const ctx = inWorkspace(workspaceId)
    try {
      await tasks[task]!(ctx, id)
    } catch (error) {
      log.warn({ err: error, task, workspace: workspaceId, id }, 'a wake-up failed; it is tried again')
      sweepSoon()
      throw error
    }
  }
  const onError = (error: Error) => log.warn({ err: error }, 'the sweeper passed something over')
  const sweepOnce = async () => {
    const swept = await sweep({ db, clock, queue }, { work, performers }, onError)
    for (const { workspaceId } of await waitingWorkspaces(db, mostWorkspaces)) signals.ask(workspaceId)
    for (const { workspaceId, id } of await dueDeliveries({ db, clock }, mostDeliveries))
      await understandDelivery(inWorkspace(workspaceId), id, hooks).catch(onError)
    if (gitHost) {
      await lookAtRedMains({ db, clock, queue }, gitHost, onError)
      await lookAtPullRequests({ db, clock, queue }, gitHost, onError)
    }
    metrics.stuckRuns.set(swept.stuck)
    if (swept.stuck > 0)
      log.warn({ stuck: swept.stuck }, 'runs are stuck; `npm run signalbox -- admin run stuck` says why')
  }
  // After trouble, such as a database that was away, what was interrupted is not left lying until the next full minute.
  let soon: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()
  const sweepSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      sweeping = sweepOnce().catch(sweepSoon)
    }, soonMs)
  }
  return {
    handleSignals: (workspaceId) => signals.ask(workspaceId),
    sweep: sweepOnce,
    async start() {
      await queue.work(handle, sweepSoon)
      // The same for what was left lying when the last node stopped.
      sweeping = sweepOnce().catch(onError)
    },
    async stop() {
      await signals.stop()
      clearTimeout(soon)
      await sweeping
      await queue.stop()
    },
  }
}

/** The first alert is understood at once; in a storm the rest is, a few times a second. */
const signalsApartMs = 250
const soonMs = 5_000
const mostWorkspaces = 1_000
const mostDeliveries = 500
