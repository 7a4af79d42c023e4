import { fromJson } from '@signalbox/contract/shapes.ts'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import type { Storage } from '../app/storage.ts'
import { createService } from '../domain/services/create.ts'
import { addSource } from '../domain/sources/add.ts'
import type { Clock } from '../infra/clock.ts'
import { acting } from './acting.ts'
import { owner } from './people.ts'
import { workspace } from './teams.ts'

/** One source of each kind, each feeding a service of its own, so that incidents of one do not join another's. */
const plan: Record<SenderKind, { service: string; team: string; name: string }> = {
  generic: { service: 'order-mailer', team: 'checkout-web', name: 'Scripts of the shop' },
  grafana: { service: 'checkout-api', team: 'checkout-web', name: 'Dashboard alerts of the shop' },
  pagerduty: { service: 'locker-gateway', team: 'locker-firmware', name: 'Paging of the locker team' },
  sentry: { service: 'checkout-web', team: 'checkout-web', name: 'Errors of the shop' },
  alertmanager: { service: 'route-planner', team: 'route-planning', name: 'Alerts of the planning cluster' },
  datadog: { service: 'parcel-events', team: 'data-platform', name: 'Monitors of the event platform' },
  newrelic: { service: 'partner-portal', team: 'partner-portal', name: 'Monitors of the partner portal' },
  opsgenie: { service: 'depot-scanner', team: 'depot-tools', name: 'Paging of the depots' },
  cloudwatch: { service: 'label-printer', team: 'depot-tools', name: 'Alarms of the cloud account' },
  azure_monitor: { service: 'invoice-export', team: 'data-platform', name: 'Monitor of the billing account' },
  statuspage: { service: 'map-tiles', team: 'route-planning', name: 'Status page of the map provider' },
}

export type DemoSources = Record<SenderKind, { url: string; secret: string }>

/** Makes what is missing, and tells where each kind of sender delivers and with which secret. */
export async function demoSources(storage: Storage, clock: Clock, signalUrl: string): Promise<DemoSources> {
  const ctx = await acting(storage.db, clock, workspace.slug, owner.email)
  const known = await storage.db
    .selectFrom('sources')
    .select(['kind', 'name', 'token', 'secret'])
    .where('workspace_id', '=', ctx.workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  const found: Partial<DemoSources> = {}
  for (const kind of senderKinds) {
    const { service, team, name } = plan[kind]
    const row = known.find((one) => one.kind === kind && one.name === name)
    if (row?.secret) {
      found[kind] = { url: `${signalUrl}/${row.token}`, secret: storage.secrets.decrypt(row.secret) }
      continue
    }
    const { id } = fromJson(await createService(ctx, { name: service, team }))
    const added = await addSource(ctx, storage.secrets, { kind, name, services: [id] })
    found[kind] = { url: `${signalUrl}/${fromJson(added.source).token}`, secret: added.secret! }
  }
  return found as DemoSources
}
