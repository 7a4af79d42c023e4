import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Storage } from '../../server/app/storage.ts'
import { asService } from '../../server/domain/context.ts'
import { handleSignals } from '../../server/domain/on-call/incidents/handle.ts'
import { senders } from '../../server/domain/on-call/senders/index.ts'
import { createService } from '../../server/domain/on-call/services/create.ts'
import { Receiver } from '../../server/domain/on-call/signals/receive.ts'
import { addSource } from '../../server/domain/on-call/sources/add.ts'
import { alerts, watched } from '../halden-parcels/alerts.ts'
import { owner } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { acting } from './acting.ts'

/** The demo's alerts of the last hours, received and understood the way real ones are, at their time. */
export async function loadAlerts({ db, secrets }: Pick<Storage, 'db' | 'secrets'>, now: Date): Promise<void> {
  const at = (minutesAgo: number) => ({ now: () => new Date(now.getTime() - minutesAgo * 60_000) })
  const before = await acting(db, at(1_500), haldenParcels.slug, owner.email)
  const services: string[] = []
  for (const name of watched) {
    const settings = { observeOnly: name === 'parcel-search' }
    services.push(fromJson(await createService(before, { name, team: 'data-platform', settings })).id)
  }
  const name = 'Public page probes'
  const { source } = await addSource(before, secrets, { kind: 'generic', name, services })
  const known = {
    id: fromJson(source).id,
    workspaceId: before.workspaceId,
    kind: 'generic',
    name,
    paused: false,
    proof: () => ({ secrets: [], settings: {} }),
  } as const
  for (const { minutesAgo, ...alert } of alerts) {
    const clock = at(minutesAgo)
    const receiver = new Receiver({ db, clock, onWritten: () => undefined })
    const delivered = { body: Buffer.from(JSON.stringify(alert)), headers: {}, query: {} }
    await receiver.receive(known, senders.generic.format(delivered))
    await handleSignals(asService({ ...before, clock }, before.workspaceId))
  }
}
