import { warnOfExpiry } from '../../domain/accounts/notifications/warn-of-expiry.ts'
import { forgetExpired } from '../../domain/accounts/people/forget-expired.ts'
import { settleFollowUps } from '../../domain/accounts/people/settle-follow-ups.ts'
import type { Authenticator } from '../../domain/accounts/tokens/authenticate.ts'
import type { Context } from '../../domain/context.ts'
import { expireEphemeralRunners } from '../../domain/engine/runners/expire-ephemeral.ts'
import { forgetRunners } from '../../domain/engine/runners/forget.ts'
import { notifyOfSuggestions } from '../../domain/engine/suggestions/notify-due.ts'
import { rotateKey } from '../../domain/installation/key-rotation/rotate.ts'
import { createDeliveryPartitions } from '../../domain/on-call/signals/create-partitions.ts'
import { forgetDeliveryKeys } from '../../domain/on-call/signals/forget-keys.ts'
import type { Refusals } from '../../domain/on-call/signals/refusals.ts'
import type { Identity } from '../../domain/ports/identity.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sweepTrackers } from '../../domain/reach/mirror/sweep.ts'
import { createPartitions } from '../../domain/record/audit/create-partitions.ts'
import { forgetNews } from '../../domain/record/audit/news.ts'
import { sealAll } from '../../domain/record/seals/seal.ts'
import { lookAfterHooks } from '../../domain/tools/connections/look-after-hooks.ts'
import { lookAfterFailing } from '../../domain/tools/webhooks/look-after-failing.ts'
import { sendDueReports } from '../../domain/work/night-report/send-due.ts'
import { foldCounts } from '../../domain/work/teams/fold-counts.ts'
import { every } from '../../infra/every.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'
import type { Jobs } from '../../infra/jobs/queue.ts'
import type { Logger } from '../../infra/log.ts'
import type { Metrics } from '../../infra/metrics.ts'
import type { Secrets } from '../../infra/secrets.ts'
import type { Worker } from './tasks.ts'
import type { Uptime } from './uptime.ts'
import type { Webhooks } from './webhooks.ts'

export interface ScheduleServices extends Pick<Context, 'clock'> {
  storage: Pick<Context, 'db'> & { secrets: Secrets }
  log: Logger
  metrics: Metrics
  queue: Jobs
  authenticator: Authenticator
  limiter: RateLimiter
  mcpLimiter: RateLimiter
  runnerLimiter: RateLimiter
  sessionLimiter: RateLimiter
  sourceLimiter: RateLimiter
  strangers: RateLimiter
  /** Runners that wait for work. */
  polls: { look(): Promise<void> }
  refusals: Refusals
  /** Null where another process of this server keeps them. */
  checkpoints: { keep(): Promise<void> } | null
  uptime: Uptime
  webhooks: Webhooks
  worker: Pick<Worker, 'sweep' | 'takeUp'>
  identity: Identity
  ports: Pick<Ports, 'mailer' | 'trackers' | 'connectors'>
  publicUrl: () => string
  /** Whether this is the one of several workers that does what is enough to be done once for all of them. */
  leads: boolean
}

/** `every server` is one node of each server: of several workers, the one that leads. */
type Turn =
  | [name: string, on: 'every node' | 'every server', everyMs: number, work: () => Promise<unknown>]
  | OneNode

/** The queue says whose turn it is, and it counts in minutes. */
type OneNode = [name: string, on: 'one node', everyMs: typeof minute, work: () => Promise<unknown>]

const second = 1_000
const minute = 60_000
const hour = 3_600_000

/** What happens without being asked for: on which nodes, and how often. */
const turns = (services: ScheduleServices): Turn[] => {
  const { clock, metrics, queue, authenticator, refusals, uptime, checkpoints, worker, polls, webhooks } =
    services
  const limiters = [
    ...[services.limiter, services.runnerLimiter, services.mcpLimiter],
    ...[services.sessionLimiter, services.sourceLimiter, services.strangers],
  ]
  const { log, identity, ports, publicUrl } = services
  const { db, secrets } = services.storage
  const followUps = {
    ...{ db, clock, queue, identity, publicUrl, mailer: ports.mailer },
    onStranger: (attempt: object) => log.info(attempt, 'a sign-in to an unknown account failed'),
    onError: (error: Error) => log.warn({ err: error }, 'a sign-in could not be followed up; trying again'),
  }
  const seal = async () => metrics.sealed.inc(await sealAll(db, secrets.signing, clock))
  const lookAtTrackers = () =>
    sweepTrackers({ db, clock, queue }, { trackers: ports.trackers, secrets }, (error) =>
      log.warn({ err: error }, 'a tracker could not be read; trying again'),
    )
  const lookAtHooks = () =>
    lookAfterHooks({ db, clock, queue }, { connectors: ports.connectors, secrets, publicUrl }, (error) =>
      log.warn({ err: error }, 'webhooks of a connection could not be checked; trying again in an hour'),
    )
  const sendReports = () =>
    sendDueReports({ db, clock, queue }, (error) =>
      log.warn({ err: error }, 'a night shift report could not be sent; trying again in a minute'),
    )
  const tellSuggestions = () =>
    notifyOfSuggestions({ db, clock, queue }, (error) =>
      log.warn({ err: error }, 'no one was notified of a policy suggestion; trying again in an hour'),
    )
  const rotation = {
    ...{ db, clock, queue, secrets, identity },
    onUnreadable: (row: string) =>
      log.warn(
        { row },
        'a stored secret cannot be decrypted with either key and was left as it is; set it again',
      ),
  }
  return [
    ['check uptime', 'every node', second, () => uptime.look()],
    ['send webhooks', 'every node', second / 2, () => webhooks.look()],
    ['take up what arrived', 'every node', second, () => worker.takeUp()],
    ['seal the audit log', 'every node', second, seal],
    ['follow up on sign-ins', 'every node', second, () => settleFollowUps(followUps)],
    ['count refused deliveries', 'every node', 5 * second, () => refusals.write()],
    ['keep checkpoints', 'every server', minute, async () => checkpoints?.keep()],
    ['note token uses', 'every node', 2 * second, () => authenticator.noteUses()],
    ['look after runners that wait', 'every node', 5 * second, () => polls.look()],
    [
      'sweep request windows',
      'every node',
      minute,
      () => Promise.all(limiters.map((limiter) => limiter.sweep())),
    ],
    ['look at trackers', 'every server', 2 * second, lookAtTrackers],
    ['sweep what should be moving', 'one node', minute, worker.sweep],
    // Each connection once an hour.
    ['look after webhooks over there', 'one node', minute, lookAtHooks],
    ['rotate the secret key', 'one node', minute, () => rotateKey(rotation)],
    ['add up what is counted', 'one node', minute, () => foldCounts({ db })],
    ['send night shift reports', 'one node', minute, sendReports],
    ['warn of tokens that expire', 'every server', hour, () => warnOfExpiry({ db, clock, queue })],
    ['notify of suggestions', 'every server', hour, tellSuggestions],
    ['forget old sessions', 'every server', hour, () => forgetExpired({ db, clock })],
    ['forget old runners', 'every server', hour, () => forgetRunners({ db, clock })],
    ['sign off silent runners', 'every server', minute, () => expireEphemeralRunners({ db, clock })],
    ['forget old news', 'every server', hour, () => forgetNews(db)],
    ['look after failing webhooks', 'every server', minute, () => lookAfterFailing({ db, clock, queue })],
    ['forget old deliveries', 'every server', hour, () => forgetDeliveryKeys({ db, clock })],
    // So often because a clock can jump: a machine that slept for months wakes in one that was never prepared.
    ['prepare the months ahead', 'every server', minute, () => prepareAhead({ db, clock })],
  ]
}

/** Each turn begins a while after the start; stopping waits for those that are under way. */
export async function startSchedule(services: ScheduleServices): Promise<{ stop(): Promise<unknown> }> {
  const { queue, log, leads } = services
  const ours = turns(services).filter(([, on]) => leads || on === 'every node')
  const shared = ours.filter(([, on]) => on === 'one node')
  if (leads)
    await queue.sweepEveryMinute(async () => {
      const done = await Promise.allSettled(shared.map(([, , , work]) => work()))
      for (const one of done) if (one.status === 'rejected') throw one.reason
    })
  const loops = ours
    .filter(([, on]) => on !== 'one node')
    .map(([name, , everyMs, work]) => every(everyMs, name, log, work))
  return { stop: () => Promise.all(loops.map((loop) => loop.stop())) }
}

/** Tables are cut by month; the one that is written to next must be there in time. */
export const prepareAhead = ({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<unknown> =>
  Promise.all([createPartitions(db, clock), createDeliveryPartitions(db, clock)])
