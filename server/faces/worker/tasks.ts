import { dictionary } from '@signalbox/contract/dictionary.ts'
import { asService, type Context } from '../../domain/context.ts'
import { lookAtRedMains } from '../../domain/engine/merging/look-at-main.ts'
import { lookAtPullRequests } from '../../domain/engine/merging/look-at-pull-requests.ts'
import { tryRepositories } from '../../domain/engine/runners/try-repositories.ts'
import { dispatchTeam } from '../../domain/engine/supervision/dispatch.ts'
import { dispatchAll } from '../../domain/engine/supervision/dispatch-all.ts'
import { shareSlots } from '../../domain/engine/supervision/share-slots.ts'
import { sweep } from '../../domain/engine/supervision/sweep.ts'
import { inTraceOfRun, traceStep } from '../../domain/engine/supervision/trace-step.ts'
import { checkMovedMains } from '../../domain/engine/surveys/check-moved-mains.ts'
import { waitingWorkspaces } from '../../domain/on-call/signals/waiting.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { Tracing } from '../../domain/ports/tracing.ts'
import type { WorkPort } from '../../domain/ports/work.ts'
import { type Performers, performEffect } from '../../domain/record/outbox/perform.ts'
import {
  dueDeliveries,
  type HookConsumers,
  processDelivery,
} from '../../domain/tools/connections/process-delivery.ts'
import { Coalesced } from '../../infra/coalesced.ts'
import type { Jobs, Wake } from '../../infra/jobs/queue.ts'
import type { Logger } from '../../infra/log.ts'
import type { Metrics } from '../../infra/metrics.ts'

export interface WorkerServices extends Pick<Context, 'db' | 'clock'> {
  queue: Jobs
  work: Pick<WorkPort, 'serves'>
  /** Asked for the state of red main branches and of pull requests; null: none is connected. */
  gitHost?: Pick<GitHost, 'readMain' | 'readPullRequest'> | null
  performers: Performers
  /** The longest a single work order may take. */
  orderHours?: number
  /** Who understands what hooks bring. */
  hooks?: HookConsumers
  /** Who makes deliveries, entries and alerts of what arrived. */
  rounds: { take(workspaceId: string): Promise<number> }
  log: Logger
  metrics: Metrics
  /** Left out where nothing is traced. */
  tracing?: Tracing
}

export interface Worker {
  /** Something waits to be understood in that workspace. Returns when it is, where it is done immediately. */
  handleSignals(workspaceId: string): Promise<void> | undefined
  /** Takes up what arrived, here or at a node that is gone, and has waited since. */
  takeUp(): Promise<void>
  /** Finds what should be moving and is not. */
  sweep(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Time is a caller too: turns wake-ups into verbs. */
export function workerFace(services: WorkerServices): Worker {
  const { db, clock, queue, work, gitHost, performers, hooks = {}, rounds, log, metrics } = services
  const { tracing } = services
  const base = { db, clock, queue, ...(tracing ? { tracing } : {}) }
  const ports = { work, performers, ...(services.orderHours ? { orderHours: services.orderHours } : {}) }
  const signals = new Coalesced((workspaceId) => rounds.take(workspaceId), {
    apartMs: (deliveries) => (deliveries > fewDeliveries ? rushApartMs : 0),
    onError: (error) => {
      log.warn({ err: error }, 'alerts could not be processed; trying again')
      sweepSoon()
    },
  })
  const tasks: Record<string, (ctx: Context, id: string) => Promise<unknown>> = dictionary({
    team: (ctx, id) => dispatchTeam(ctx, id, work),
    teams: (ctx) => dispatchAll(ctx, work),
    slots: (ctx) => shareSlots(ctx, work),
    repositories: tryRepositories,
    effect: (ctx, id) => inTraceOfRun(ctx, id, tracing ?? null, () => performEffect(ctx, id, performers)),
    hook: (ctx, id) => processDelivery(ctx, id, hooks),
    trace: (ctx, id) => traceStep(ctx, id, tracing ?? null),
  })
  const inWorkspace = (workspaceId: string) => asService(base, workspaceId)
  const handle = async ({ task, workspaceId, id }: Wake) => {
    const ctx = inWorkspace(workspaceId)
    try {
      await tasks[task]!(ctx, id)
    } catch (error) {
      log.warn({ err: error, task, workspace: workspaceId, id }, 'a wake-up failed; trying again')
      sweepSoon()
      throw error
    }
  }
  const onError = (error: Error) => log.warn({ err: error }, 'the sweeper skipped something')
  const takeUp = async () => {
    for (const { workspaceId } of await waitingWorkspaces(db, mostWorkspaces)) signals.ask(workspaceId)
  }
  const sweepOnce = async () => {
    const swept = await sweep(base, ports, onError)
    await takeUp()
    for (const { workspaceId, id } of await dueDeliveries({ db, clock }, mostDeliveries))
      await processDelivery(inWorkspace(workspaceId), id, hooks).catch(onError)
    if (gitHost) {
      await lookAtRedMains({ db, clock, queue }, gitHost, onError)
      await checkMovedMains({ db, clock, queue }, gitHost, onError)
      await lookAtPullRequests({ db, clock, queue }, gitHost, onError)
    }
    metrics.stuckRuns.set(swept.stuck)
    if (swept.stuck > 0)
      log.warn({ stuck: swept.stuck }, 'runs are stuck; `npm run signalbox -- admin run stuck` says why')
  }
  // After trouble, such as a database that was away, what was interrupted is not left lying until the next full minute.
  let soon: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()
  let isStopped = false
  const sweepSoon = () => {
    // What fails while we stop is found by the next node: a timer of ours would keep the process from ending.
    if (isStopped) return
    soon ??= setTimeout(() => {
      soon = undefined
      sweeping = sweepOnce().catch(sweepSoon)
    }, soonMs)
  }
  return {
    handleSignals: (workspaceId) => signals.ask(workspaceId),
    takeUp,
    sweep: sweepOnce,
    async start() {
      await queue.work(handle, sweepSoon)
      // The same for what was left lying when the last node stopped.
      sweeping = sweepOnce().catch(onError)
    },
    async stop() {
      isStopped = true
      await signals.stop()
      clearTimeout(soon)
      await sweeping
      await queue.stop()
    },
  }
}

/** What arrives now and then is understood at once; in a storm, once in this time. */
const rushApartMs = 750
const fewDeliveries = 40
const soonMs = 5_000
const mostWorkspaces = 1_000
const mostDeliveries = 500
