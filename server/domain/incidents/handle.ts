import type { Severity } from '@signalbox/contract/signal.ts'
import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { keepFormerAlerts, type StoredAlert, saveAlerts } from '../alerts/keep.ts'
import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { nextKey } from '../keys.ts'
import { addEffect } from '../outbox/add.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { follow, newsOf } from '../signals/follow.ts'
import { routeOf } from '../signals/route.ts'
import { nameOf, takeSignals, type Waiting } from '../signals/waiting.ts'
import { type Step, writeTimeline } from '../timeline/append.ts'
import { announce } from './announce.ts'
import { fateOf, isWorse } from './fate.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { described, remember } from './remember.ts'
import {
  insertIncident,
  lockOpenIncidents,
  selectWatched,
  updateIncident,
  type WatchedService,
} from './store.ts'
import { withdrawMootQuestion } from './withdraw-moot-question.ts'

/** How many deliveries are understood in one transaction. */
const most = 500

/** Understands everything that waits in a workspace. Returns how many deliveries that were. */
export async function handleSignals(ctx: Context): Promise<number> {
  let handled = 0
  for (;;) {
    const some = await handleSome(ctx)
    handled += some
    if (some < most) return handled
  }
}

async function handleSome(ctx: Context): Promise<number> {
  return change(ctx, async (tx) => {
    const waiting = await takeSignals(tx, ctx.workspaceId, most)
    if (waiting.deliveries.length === 0) return { value: 0, audit: [] }
    const serviceIds = [
      ...new Set([
        ...waiting.fed.map(({ serviceId }) => serviceId),
        ...[...waiting.alerts.values()].flatMap((alert) => alert.service_id ?? []),
      ]),
    ]
    const desk = new Desk(ctx, waiting, await selectWatched(tx, ctx.workspaceId, serviceIds))
    for (const open of await lockOpenIncidents(tx, ctx.workspaceId, serviceIds)) desk.lay(open)
    for (const { id, sourceId, receivedAt, alerts, handshake } of waiting.deliveries) {
      if (handshake?.type === 'sns_confirmation') {
        const { topicArn, token } = handshake
        const data = { source: sourceId, topicArn, token }
        await addEffect(ctx, tx, { kind: 'confirm_subscription', key: `confirm_subscription/${id}`, data })
      }
      for (const alert of alerts) await desk.take(tx, sourceId, alert, receivedAt)
    }
    return { value: waiting.deliveries.length, audit: await desk.write(tx) }
  })
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
  /** Its last alert was merged into another one in the sender: it is over, and nobody needs to hear of it. */
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
class Desk {
  readonly #ctx: Context
  readonly #alerts: Map<string, StoredAlert>
  readonly #fed: Map<string, Waiting['fed']>
  readonly #services: Map<string, WatchedService>
  /** By service. */
  readonly #open = new Map<string, Incident>()
  readonly #openById = new Map<string, Incident>()
  readonly #touched = new Set<StoredAlert>()
  readonly #left: StoredAlert[] = []
  /** In the order in which they were opened or found: an old one is resolved before a new one of its service is open. */
  readonly #incidents: Incident[] = []

  constructor(ctx: Context, waiting: Waiting, services: readonly WatchedService[]) {
    this.#ctx = ctx
    this.#alerts = waiting.alerts
    this.#fed = Map.groupBy(waiting.fed, ({ sourceId }) => sourceId)
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
      ...(before ? { ...before, ...remember(before, read, news) } : newAlert(sourceId, read, receivedAt)),
      status: now.status,
      severity: now.severity,
      occurred_at: now.occurredAt,
      recovered_at: now.recoveredAt,
      count: (before?.count ?? 0) + 1,
      last_at: receivedAt,
      // A new occurrence belongs to no incident yet, whatever became of the last one.
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
    // A person resolved its incident while it was firing: it is not heard of again until it has recovered.
    if (alert.incident_id) return
    const route = routeOf(read.service, this.#fed.get(sourceId) ?? [])
    if ('reason' in route) {
      alert.reason = route.reason
      return
    }
    const service = this.#services.get(route.serviceId)!
    alert.service_id = service.id
    const open = this.#open.get(service.id)
    const { severity } = alert
    const fate = fateOf(service, { ...read, severity }, { hasOpen: open !== undefined, at })
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

  /** Writes what has become of everything, and returns what the log says of it. */
  async write(tx: Tx): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const incident of this.#incidents) {
      const changed = incident.isNew || incident.joined > 0 || incident.recovered > 0
      if (!changed && incident.worstAlert === incident.worstBefore) continue
      await this.#writeIncident(tx, incident)
      entries.push(...entriesOf(incident))
    }
    await saveAlerts(tx, this.#ctx.workspaceId, [...this.#touched])
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
  ...described(read),
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
