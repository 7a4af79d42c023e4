import { setImmediate } from 'node:timers/promises'
import type { Severity } from '@signalbox/contract/signal.ts'
import { isTestIncident } from '@signalbox/contract/test-alert.ts'
import { inPart, pipelined, type Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { nextKey } from '../../keys.ts'
import { changeSealed, type Entry, type Seal } from '../../record/audit/change.ts'
import { createPartitions, lacksMonth } from '../../record/audit/create-partitions.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { type Step, writeTimeline } from '../../work/timeline/append.ts'
import { keepFormerAlerts, type StoredAlert, saveAlerts } from '../alerts/keep.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import type { ArrivedFrom } from '../signals/arrived.ts'
import { createDeliveryPartitions } from '../signals/create-partitions.ts'
import { follow, newsOf } from '../signals/follow.ts'
import { recordDeliveries } from '../signals/record.ts'
import { routeOf } from '../signals/route.ts'
import type { Shard } from '../signals/shards.ts'
import {
  type Known,
  knownOf,
  nameOf,
  type Portion,
  takeSignals,
  waitForShard,
  waitingShards,
} from '../signals/waiting.ts'
import { announce } from './announce.ts'
import { alertDescription, mergeAlert } from './merge-alert.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import {
  insertIncident,
  lockOpenIncidents,
  selectWatched,
  updateIncident,
  type WatchedService,
} from './store.ts'
import { isWorse, triageAlert } from './triage.ts'
import { withdrawMootQuestion } from './withdraw-moot-question.ts'

/** Rounds that take longer than this take less the next time. */
const longestMs = 900
const fewestBytes = 65_536
const mostRows = 500
/** Of one workspace in one process. Each has a connection while it lasts, and the thread of the rounds has two. */
const roundsAtOnce = 2
/** After this many deliveries, yield so that this process can answer requests too. */
const deliveriesPerTurn = 100
/** After more failed rounds of a shard in a row, for any reason, give up and leave the rest to the next caller. */
const mostFailures = 3
/** Two who held what the other wanted; one of them is asked to come again. */
const isConflict = (error: unknown) => /^40/.test((error as { code?: string }).code ?? '')
/** An error caused by the data of a delivery: trying again would fail the same way. */
const isAboutData = (error: unknown) => /^2[23]/.test((error as { code?: string }).code ?? '')

export interface Rounds {
  /** Seals what a round writes. Without it the entries wait for their seal like others. */
  seal?: Seal
  /** How much a round takes at most. */
  mostBytes?: number
  /**
   * How much one round takes now, judged by the last ones. The caller keeps it, so that a slow machine stays known as
   * slow.
   */
  pace?: { bytes: number }
}

/**
 * Takes everything that waits in a workspace, in rounds of one transaction: deliveries, audit entries and their seal,
 * alerts and incidents. Sources that share no service are taken side by side, here and on other nodes. Returns how many
 * deliveries that were.
 */
export async function handleSignals(
  ctx: Context,
  { seal, mostBytes = 262_144, pace = { bytes: mostBytes } }: Rounds = {},
): Promise<number> {
  let handled = 0
  for (;;) {
    const begun = performance.now()
    const shards = await waitingShards(ctx.db, ctx.workspaceId)
    // Each its share, so that what arrives during a round waits no longer for many than for one.
    const bytes = pace.bytes / 2 ** Math.ceil(Math.log2(Math.max(1, shards.length / roundsAtOnce)))
    const { count, isMore } = await handleShards(ctx, shards, (shard) =>
      handleShard(ctx, seal, shard, { rows: mostRows, bytes }),
    )
    handled += count
    const tookMs = performance.now() - begun
    slowDown(pace, tookMs)
    if (!isMore) return handled
    if (tookMs < longestMs / 3) pace.bytes = Math.min(mostBytes, pace.bytes * 2)
  }
}

interface Round {
  count: number
  isMore: boolean
}

/** Those that another node has are waited for at the end, and then looked at again: more may have arrived there. */
async function handleShards(
  ctx: Context,
  shards: readonly Shard[],
  handle: (shard: Shard) => Promise<Round | null>,
): Promise<Round> {
  const sum: Round = { count: 0, isMore: false }
  const left = [...shards]
  const busy: Shard[] = []
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const round = await handle(next)
      if (!round) busy.push(next)
      sum.count += round?.count ?? 0
      sum.isMore ||= round?.isMore ?? true
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: roundsAtOnce }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  // One is enough: by then there is something to do again, here or elsewhere.
  if (busy[0] && sum.count === 0) await waitForShard(ctx.db, ctx.workspaceId, busy[0])
  return sum
}

/** A round of a shard; another try where that can help. Null where another node has the shard. */
async function handleShard(
  ctx: Context,
  seal: Seal | undefined,
  shard: Shard,
  most: Portion,
): Promise<Round | null> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await handleSome(ctx, seal, shard, most)
    } catch (error) {
      if (failures > mostFailures) throw error
      if (lacksMonth(error)) await prepareAhead(ctx)
      else if (isAboutData(error)) {
        const count = await handleOneByOne(ctx, seal, shard)
        // As long as something is taken, it comes to an end.
        if (count > 0) return { count, isMore: true }
      } else if (!isConflict(error)) throw error
    }
  }
}

/**
 * What arrives during a round from a quiet source waits for the round that is under way, so the next one is as much
 * shorter as this one was too long. By halves: how much a round takes is part of a statement, and each has a plan of
 * its own.
 */
function slowDown(pace: { bytes: number }, tookMs: number): void {
  for (let ms = tookMs; ms > longestMs && pace.bytes > fewestBytes; ms /= 2) pace.bytes /= 2
}

async function prepareAhead({ db, clock }: Context): Promise<void> {
  await createPartitions(db, clock)
  await createDeliveryPartitions(db, clock)
}

async function handleSome(
  ctx: Context,
  seal: Seal | undefined,
  shard: Shard,
  most: Portion,
): Promise<Round | null> {
  return changeSealed(ctx, seal, async (tx) => {
    const taken = await takeSignals(tx, ctx.workspaceId, shard, most)
    if (!taken) return { value: null, audit: [] }
    const { deliveries, isMore } = taken
    const audit = await settle(ctx, tx, deliveries, pipelined(tx))
    return { value: { count: deliveries.length, isMore }, audit }
  })
}

/**
 * Handles the oldest signals that arrived together one by one: one that cannot be understood is recorded and does not
 * hold up the others.
 */
async function handleOneByOne(ctx: Context, seal: Seal | undefined, shard: Shard): Promise<number> {
  return changeSealed(ctx, seal, async (tx) => {
    const taken = await takeSignals(tx, ctx.workspaceId, shard, { rows: 1, bytes: 1 })
    const deliveries = taken?.deliveries ?? []
    const audit: Said[] = []
    for (const delivery of deliveries) {
      // Waited for, each of its statements: what fails has to be known before its part ends.
      const said = await inPart(tx, () => settle(ctx, tx, [delivery], tx)).catch((error) => {
        if (!isAboutData(error)) throw error
        return recordDeliveries(tx, ctx.workspaceId, [{ ...delivery, ...beyondUs }], tx)
      })
      audit.push(...said)
    }
    return { value: deliveries.length, audit }
  })
}

const beyondUs = { alerts: [], waits: false, problem: 'The delivery could not be processed.' }

type Said = Awaited<ReturnType<typeof recordDeliveries>>[number]

/** Writes deliveries down and works out what they mean. `behind` takes what comes in numbers and has no answer. */
async function settle(ctx: Context, tx: Tx, deliveries: readonly ArrivedFrom[], behind: Tx): Promise<Said[]> {
  if (deliveries.length === 0) return []
  const received = await recordDeliveries(tx, ctx.workspaceId, deliveries, behind)
  const waiting = deliveries.filter(({ waits }) => waits)
  if (waiting.length === 0) return received
  const { actor, channel } = ctx
  const followed = await understandAll(ctx, tx, waiting, behind)
  return [...received, ...followed.map((entry) => ({ by: { actor, channel }, entry }))]
}

async function understandAll(
  ctx: Context,
  tx: Tx,
  deliveries: readonly ArrivedFrom[],
  behind: Tx,
): Promise<Entry[]> {
  const known = await knownOf(tx, ctx.workspaceId, deliveries)
  const { serviceIds } = known
  const batch = new AlertBatch(ctx, known, await selectWatched(tx, ctx.workspaceId, serviceIds))
  for (const open of await lockOpenIncidents(tx, ctx.workspaceId, serviceIds)) batch.lay(open)
  for (const [place, { id, sourceId, receivedAt, alerts, handshake }] of deliveries.entries()) {
    if (place > 0 && place % deliveriesPerTurn === 0) await setImmediate()
    if (handshake?.type === 'sns_confirmation') {
      const { topicArn, token } = handshake
      const data = { source: sourceId, topicArn, token }
      await addEffect(ctx, tx, { kind: 'confirm_subscription', key: `confirm_subscription/${id}`, data })
    }
    const at = new Date(receivedAt)
    for (const alert of alerts) await batch.take(tx, sourceId, alert, at)
  }
  return batch.write(tx, behind)
}

/** An incident while a batch is being understood. */
interface Incident {
  id: string
  key: string
  service: WatchedService
  title: string
  severity: Severity
  /** The highest of its alerts; a person may have set another one for the incident. */
  worstAlert: Severity
  firing: number
  lastStep: number
  isNew: boolean
  openedAt: Date
  resolvedAt: Date | null
  /** Its last alert was merged into another one in the sender: it is over, and no one needs to be told. */
  isMerged: boolean
  joined: number
  recovered: number
  severityBefore: Severity
  worstBefore: Severity
}

/**
 * Where a batch of alerts is gone through, in the order of its arrival. What becomes of alerts and incidents is worked
 * out in memory and written once, so that a storm costs a row per alert, not a statement per delivery.
 */
class AlertBatch {
  readonly #ctx: Context
  readonly #alerts: Map<string, StoredAlert>
  /** Ids of those that were kept before. */
  readonly #known: Set<string>
  readonly #fed: Map<string, Known['fed']>
  readonly #services: Map<string, WatchedService>
  /** By service. */
  readonly #open = new Map<string, Incident>()
  readonly #openById = new Map<string, Incident>()
  readonly #touched = new Set<StoredAlert>()
  readonly #left: StoredAlert[] = []
  /** In the order in which they were opened or found: an old one is resolved before a new one of its service is open. */
  readonly #incidents: Incident[] = []

  constructor(ctx: Context, known: Known, services: readonly WatchedService[]) {
    this.#ctx = ctx
    this.#alerts = known.alerts
    this.#known = new Set([...known.alerts.values()].map(({ id }) => id))
    this.#fed = Map.groupBy(known.fed, ({ sourceId }) => sourceId)
    this.#services = new Map(services.map((service) => [service.id, service]))
  }

  /** An incident that is open already. */
  lay(open: {
    id: string
    key: string
    serviceId: string
    title: string
    severity: Severity
    worstAlert: Severity
    firing: number
    lastStep: number
  }): void {
    const { serviceId, ...incident } = open
    this.#add({
      ...incident,
      service: this.#services.get(serviceId)!,
      isNew: false,
      openedAt: this.#ctx.clock.now(),
      resolvedAt: null,
      isMerged: false,
      joined: 0,
      recovered: 0,
      severityBefore: open.severity,
      worstBefore: open.worstAlert,
    })
  }

  #add(incident: Incident): Incident {
    this.#incidents.push(incident)
    this.#open.set(incident.service.id, incident)
    this.#openById.set(incident.id, incident)
    return incident
  }

  async take(tx: Tx, sourceId: string, read: ReadAlert, receivedAt: Date): Promise<void> {
    const name = nameOf(sourceId, read.fingerprint)
    const before = this.#alerts.get(name) ?? null
    const known = before && {
      status: before.status,
      severity: before.severity,
      occurredAt: before.occurred_at,
      recoveredAt: before.recovered_at,
    }
    const news = newsOf(known, read, receivedAt)
    const now = follow(known, read, receivedAt)
    const alert: StoredAlert = {
      ...(before ? { ...before, ...mergeAlert(before, read, news) } : newAlert(sourceId, read, receivedAt)),
      status: now.status,
      severity: now.severity,
      occurred_at: now.occurredAt,
      recovered_at: now.recoveredAt,
      count: (before?.count ?? 0) + 1,
      last_at: receivedAt,
      // A new occurrence belongs to no incident yet, whatever happened to the last one.
      ...(news === 'again' ? { incident_id: null, reason: null } : {}),
    }
    this.#alerts.set(name, alert)
    if (before) this.#touched.delete(before)
    this.#touched.add(alert)
    if (news === 'recovered') this.#recover(alert, receivedAt, read.updateOnly)
    else if (news === 'early') alert.reason = 'It had already recovered when it arrived.'
    else if (news !== 'late' && now.status === 'firing')
      await this.#fire(tx, sourceId, alert, read, receivedAt)
    if (before?.incident_id && alert.incident_id !== before.incident_id) this.#left.push(before)
  }

  async #fire(tx: Tx, sourceId: string, alert: StoredAlert, read: ReadAlert, at: Date): Promise<void> {
    const isIn = this.#openById.get(alert.incident_id ?? '')
    if (isIn) return raise(isIn, alert.severity)
    // A person resolved its incident while it was firing: it joins no incident again until it has recovered.
    if (alert.incident_id) return
    const route = routeOf(read.service, this.#fed.get(sourceId) ?? [])
    if ('reason' in route) {
      alert.reason = route.reason
      return
    }
    const service = this.#services.get(route.serviceId)!
    alert.service_id = service.id
    if (!read.isTest) this.#makeWay(service.id, at)
    const open = this.#open.get(service.id)
    const { severity } = alert
    const fate = triageAlert(service, { ...read, severity }, { hasOpen: open !== undefined, at })
    if (typeof fate === 'object') {
      alert.reason = fate.reason
      return
    }
    const incident = open ?? (await this.#openIncident(tx, service, alert, at))
    alert.incident_id = incident.id
    alert.reason = null
    incident.firing += 1
    incident.joined += 1
    raise(incident, alert.severity)
  }

  /** A real alert is not hidden in an incident that was opened as a test: that one ends. */
  #makeWay(service: string, at: Date): void {
    const open = this.#open.get(service)
    if (!open || !isTestIncident(open)) return
    open.recovered += 1
    open.resolvedAt = at
    this.#open.delete(service)
    this.#openById.delete(open.id)
  }

  async #openIncident(tx: Tx, service: WatchedService, alert: StoredAlert, at: Date): Promise<Incident> {
    return this.#add({
      id: newId(this.#ctx.clock.now()),
      key: await nextKey(tx, this.#ctx.workspaceId, 'inc'),
      service,
      title: alert.title,
      severity: alert.severity,
      worstAlert: alert.severity,
      firing: 0,
      lastStep: 0,
      isNew: true,
      openedAt: at,
      resolvedAt: null,
      isMerged: false,
      joined: 0,
      recovered: 0,
      severityBefore: alert.severity,
      worstBefore: alert.severity,
    })
  }

  #recover(alert: StoredAlert, at: Date, isMerged: boolean): void {
    const incident = this.#openById.get(alert.incident_id ?? '')
    if (!incident) return
    incident.firing -= 1
    incident.recovered += 1
    if (incident.firing > 0) return
    incident.resolvedAt = at
    incident.isMerged = isMerged
    this.#open.delete(incident.service.id)
    this.#openById.delete(incident.id)
  }

  /** Writes the outcome of everything, and returns what the log says of it. */
  async write(tx: Tx, behind: Tx): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const incident of this.#incidents) {
      const changed = incident.isNew || incident.joined > 0 || incident.recovered > 0
      if (!changed && incident.worstAlert === incident.worstBefore) continue
      await this.#writeIncident(tx, incident)
      entries.push(...entriesOf(incident))
    }
    await saveAlerts(behind, this.#ctx.workspaceId, [...this.#touched], ({ id }) => this.#known.has(id))
    await keepFormerAlerts(tx, this.#ctx.workspaceId, this.#left)
    for (const incident of this.#incidents) {
      if (!incident.resolvedAt) continue
      await planAlertUpdates(this.#ctx, tx, incident, 'resolve')
      await withdrawMootQuestion(this.#ctx, tx, incident)
    }
    return entries
  }

  async #writeIncident(tx: Tx, incident: Incident): Promise<void> {
    const { workspaceId } = this.#ctx
    if (incident.isNew) {
      await insertIncident(tx, workspaceId, {
        ...incident,
        serviceId: incident.service.id,
        teamId: incident.service.team.id,
      })
    } else await updateIncident(tx, workspaceId, incident.id, incident)
    await writeTimeline(tx, workspaceId, incident.id, stepsOf(incident, this.#ctx.clock.now()))
    if (incident.isNew) {
      await announce(this.#ctx, tx, incident, 'opened')
      await addEffect(this.#ctx, tx, {
        kind: 'investigate_incident',
        key: `investigate_incident/${incident.id}`,
        data: { incident: incident.id },
      })
    }
    if (incident.resolvedAt && !incident.isMerged) await announce(this.#ctx, tx, incident, 'resolved')
  }
}

/** The severity of an incident is the highest of its alerts'. What a person has set stays until an alert is worse than all before. */
function raise(incident: Incident, severity: Severity): void {
  if (!isWorse(severity, incident.worstAlert)) return
  incident.worstAlert = severity
  if (isWorse(severity, incident.severity)) incident.severity = severity
}

const newAlert = (sourceId: string, read: ReadAlert, at: Date): StoredAlert => ({
  id: newId(at),
  source_id: sourceId,
  fingerprint: read.fingerprint,
  service_id: null,
  incident_id: null,
  recovered_at: null,
  status: read.status,
  severity: read.severity,
  occurred_at: at,
  count: 0,
  reason: null,
  first_at: at,
  last_at: at,
  ...alertDescription(read),
})

function stepsOf(incident: Incident, at: Date): Step[] {
  const steps: Omit<Step, 'seq'>[] = []
  const say = (type: string, text: string, data: Record<string, unknown> = {}) =>
    steps.push({ at, type, text, data })
  if (incident.isNew) say('opened', `Opened for ${incident.service.name}: ${incident.title}`)
  const joined = incident.joined - (incident.isNew ? 1 : 0)
  if (joined > 0) say('joined', `${joined} ${joined === 1 ? 'alert' : 'alerts'} joined`, { alerts: joined })
  if (incident.severity !== incident.severityBefore)
    say('severity', `Severity changed to ${incident.severity}`, { before: incident.severityBefore })
  if (incident.recovered > 0)
    say('recovered', `${incident.recovered} ${incident.recovered === 1 ? 'alert' : 'alerts'} recovered`, {
      alerts: incident.recovered,
    })
  if (incident.resolvedAt) say('resolved', 'All alerts have recovered')
  return steps.map((step, index) => ({ ...step, seq: incident.lastStep + index + 1 }))
}

function entriesOf(incident: Incident): Entry[] {
  const about = {
    team: incident.service.team.slug,
    entity: { type: 'incident', id: incident.key, name: incident.title },
  } as const
  const details = { service: incident.service.name, severity: incident.severity }
  const entries: Entry[] = []
  if (incident.isNew)
    entries.push({ event: 'incident_opened', ...about, details: { ...details, alerts: incident.joined } })
  else if (incident.joined > 0 || incident.severity !== incident.severityBefore || incident.recovered > 0)
    entries.push({
      event: 'incident_updated',
      ...about,
      details: { change: 'alerts', ...details, joined: incident.joined, recovered: incident.recovered },
    })
  if (incident.resolvedAt) entries.push({ event: 'incident_resolved', ...about, details })
  return entries
}
