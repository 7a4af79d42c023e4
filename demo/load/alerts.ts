import type { DecisionOption } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Storage } from '../../server/app/storage.ts'
import { asService, type Context } from '../../server/domain/context.ts'
import { resolveDecision } from '../../server/domain/engine/answers/resolve.ts'
import { acknowledgeIncident } from '../../server/domain/on-call/incidents/acknowledge.ts'
import { addNote } from '../../server/domain/on-call/incidents/add-note.ts'
import { handleSignals } from '../../server/domain/on-call/incidents/handle.ts'
import { investigateIncident } from '../../server/domain/on-call/incidents/investigate.ts'
import { takeIncident } from '../../server/domain/on-call/incidents/take.ts'
import { senders } from '../../server/domain/on-call/senders/index.ts'
import { createService } from '../../server/domain/on-call/services/create.ts'
import { Receiver } from '../../server/domain/on-call/signals/receive.ts'
import { addSource } from '../../server/domain/on-call/sources/add.ts'
import { checkUptime } from '../../server/domain/on-call/uptime/check.ts'
import { dueChecks } from '../../server/domain/on-call/uptime/due.ts'
import { type Performers, performEffect } from '../../server/domain/record/outbox/perform.ts'
import type { Clock } from '../../server/infra/clock.ts'
import { tables } from '../../server/test/tables.ts'
import { alerts, type DemoResponse, pageCheck, probes, responses, watched } from '../halden-parcels/alerts.ts'
import { owner } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { PlayedHistory } from '../play/history.ts'
import { acting } from './acting.ts'

/** The demo's alerts of the last hours, received, understood and answered the way real ones are, at their time. */
export async function loadAlerts({ db, secrets }: Pick<Storage, 'db' | 'secrets'>, now: Date): Promise<void> {
  const at = (minutesAgo: number) => ({ now: () => new Date(now.getTime() - minutesAgo * 60_000) })
  const before = await acting(db, at(1_500), haldenParcels.slug, owner.email)
  const services: string[] = []
  for (const { observeOnly = false, ...service } of watched)
    services.push(fromJson(await createService(before, { ...service, settings: { observeOnly } })).id)
  const name = probes
  const { source } = await addSource(before, secrets, { kind: 'generic', name, services })
  const known = {
    id: fromJson(source).id,
    workspaceId: before.workspaceId,
    kind: 'generic',
    name,
    paused: false,
    proof: () => ({ secrets: [], settings: {} }),
  } as const
  const received = alerts.map(({ minutesAgo, deployedMinutesBefore, ...alert }) => ({
    minutesAgo,
    again: async () => {
      const clock = at(minutesAgo)
      const labels = deployedMinutesBefore && {
        labels: {
          ...alert.labels,
          deployed_at: at(minutesAgo + deployedMinutesBefore)
            .now()
            .toISOString(),
        },
      }
      const receiver = new Receiver({ db, clock, onWritten: () => undefined })
      const body = Buffer.from(JSON.stringify({ ...alert, ...labels }))
      await receiver.receive(known, senders.generic.format({ body, headers: {}, query: {} }))
      await handleSignals(asService({ ...before, clock }, before.workspaceId))
    },
  }))
  const serviceId = services[watched.findIndex(({ name }) => name === pageCheck.service)]!
  const looks = await checksOfPage({ db, secrets }, before, serviceId, at)
  const done = responses.map((response) => ({
    minutesAgo: response.minutesAgo,
    again: async () => {
      const by = response.by ?? owner.email
      await respond(await acting(db, at(response.minutesAgo), haldenParcels.slug, by), response)
    },
  }))
  for (const { again } of [...received, ...looks, ...done].toSorted((a, b) => b.minutesAgo - a.minutesAgo))
    await again()
}

/**
 * The uptime check of a page that the demo serves, with what it found in the last day. Where the page is, a server that
 * starts knows (demo/receiver.ts).
 */
async function checksOfPage(
  { db, secrets }: Pick<Storage, 'db' | 'secrets'>,
  before: Context,
  service: string,
  at: (minutesAgo: number) => Clock,
) {
  const { name, url, looks } = pageCheck
  await addSource(before, secrets, {
    ...{ kind: 'uptime', name, services: [service], settings: { url, failures: 1 } },
  })
  return looks.map(({ minutesAgo, status }) => ({
    minutesAgo,
    again: async () => {
      const clock = at(minutesAgo)
      const [due] = await dueChecks({ db, clock }, 1)
      await checkUptime({ db, clock }, due!, {
        probe: { get: async () => ({ status, body: '' }) },
        receiver: new Receiver({ db, clock, onWritten: () => undefined }),
        signal: new AbortController().signal,
      })
      await handleSignals(asService({ ...before, clock }, before.workspaceId))
    },
  }))
}

async function respond(ctx: Context, { service, act }: DemoResponse): Promise<void> {
  const { id, key } = await tables(ctx.db)
    .selectFrom('incidents')
    .innerJoin('services', 'services.id', 'incidents.service_id')
    .select(['incidents.id', 'incidents.key'])
    .where('services.name', '=', service)
    .where('incidents.workspace_id', '=', ctx.workspaceId)
    .executeTakeFirstOrThrow()
  if (act === 'investigate') return investigate(ctx, id)
  if (act === 'acknowledge') return acknowledgeIncident(ctx, key)
  if (act === 'take') return takeIncident(ctx, key, null)
  if ('note' in act) return addNote(ctx, key, act.note)
  await decline(ctx, id, act.declines)
}

/** What the investigation has asked, answered by a person who knows better. */
async function decline(ctx: Context, incident: string, note: string): Promise<void> {
  const asked = await tables(ctx.db)
    .selectFrom('decisions')
    .innerJoin('proposals', 'proposals.id', 'decisions.proposal_id')
    .select(['decisions.key', 'decisions.options'])
    .where('proposals.incident_id', '=', incident)
    .executeTakeFirstOrThrow()
  const { id } = (asked.options as DecisionOption[]).find(({ action }) => action === 'decline_proposal')!
  await resolveDecision(ctx, { key: asked.key, optionId: id, note })
}

/** What the server would do within seconds, done at its time. */
async function investigate(ctx: Context, incident: string): Promise<void> {
  const effect = await tables(ctx.db)
    .selectFrom('effects')
    .select('id')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('key', '=', `investigate_incident/${incident}`)
    .executeTakeFirstOrThrow()
  const performers = { investigate_incident: investigateIncident(new PlayedHistory(ctx.db, null)) }
  await performEffect(asService(ctx, ctx.workspaceId), effect.id, performers as unknown as Performers)
}
