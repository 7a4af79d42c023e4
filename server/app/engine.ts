import { asService } from '../domain/context.ts'
import { type Report, reportWork } from '../domain/engine/lifecycle/report.ts'
import { handleGitWebhook } from '../domain/engine/merging/handle-webhook.ts'
import type { Ports } from '../domain/ports/ports.ts'
import type { Trackers } from '../domain/ports/tracker.ts'
import type { LogChunk, OrderRef, Verdict } from '../domain/ports/work.ts'
import { handleTrackerWebhook } from '../domain/reach/mirror/handle-webhook.ts'
import type { HookConsumer } from '../domain/tools/connections/process-delivery.ts'
import { appendLog } from '../domain/work/runs/log/append.ts'
import { performersFor } from '../faces/worker/performers.ts'
import { type Worker, workerFace } from '../faces/worker/tasks.ts'
import { Jobs } from '../infra/jobs/queue.ts'
import type { Logger } from '../infra/log.ts'
import { PracticeFolders } from '../integrations/practice/ground.ts'
import type { Http } from './http.ts'
import type { Base, Part } from './parts.ts'
import { portsFrom } from './ports.ts'
import { startRounds } from './rounds.ts'

/** Takes what comes back from a work order. */
export type ReportWork = (order: OrderRef, report: Report) => Promise<Verdict>

/** Takes what is printed while a work order is done. */
export type PrintWork = (order: OrderRef, chunk: LogChunk) => Promise<Verdict>

/** Says who does the work and whom we reach out to instead of those who are configured, and is told where results go. */
export type Connect = (
  report: ReportWork,
  log: Logger,
  print: PrintWork,
  configured: Ports,
) => Partial<Ports> & { stop?(): Promise<void> }

export interface Engine extends Part {
  queue: Jobs
  ports: Ports
  /** Where practice projects are. */
  ground: PracticeFolders
  /** Answers nothing until it is started. */
  worker: Worker
}

/** Who does the work: the queue of what is to be done, whom we reach out to for it, and the worker between them. */
export function startEngine(
  { config, clock, log, metrics, storage, telemetry }: Base,
  { publicUrl }: Http,
  connect?: Connect,
): Engine {
  const { db, pool, secrets } = storage
  const onError = (error: Error) => log.warn({ err: error }, 'the job queue had trouble')
  const queue = new Jobs({ pool, onError })
  const ctxOf = ({ workspaceId }: OrderRef) => asService({ db, clock, queue }, workspaceId)
  const report: ReportWork = (order, event) => reportWork(ctxOf(order), order, event, config.exchangeRates)
  const print: PrintWork = (order, chunk) => appendLog(ctxOf(order), order, chunk)
  const ground = new PracticeFolders(config.dataDir)
  const configured = portsFrom(config, secrets, { db, clock, queue, publicUrl }, [ground.root])
  const connected = connect?.(report, log, print, configured) ?? {}
  const ports: Ports = { ...configured, ...connected }
  const performers = performersFor(ports, { secrets, publicUrl })
  // By kind, who understands what its hooks bring: trackers and git hosts each add theirs.
  const issues: HookConsumer = (ctx, { connection, event, body }) =>
    handleTrackerWebhook(
      ctx,
      { trackers: ports.trackers, secrets },
      { connectionId: connection.id, event, body },
    )
  const git = ports.gitHost ? [handleGitWebhook(ports.gitHost)] : []
  const hooks: Record<keyof Trackers, readonly HookConsumer[]> = {
    github: [issues, ...git],
    gitlab: [issues, ...git],
    jira: [issues],
    linear: [issues],
  }
  const { work, gitHost } = ports
  const rounds = startRounds({ config, clock, log, metrics, storage }, queue)
  const worker = workerFace({
    ...{ db, clock, queue, work, gitHost, performers, hooks, rounds, log, metrics },
    orderHours: config.runners.orderHours,
    ...(telemetry ? { tracing: telemetry } : {}),
  })
  const stop = async () => {
    await connected.stop?.()
    await rounds.stop()
    await queue.stop()
  }
  return { queue, ports, worker, ground, stop }
}
