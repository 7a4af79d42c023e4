import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Storage } from '../app/storage.ts'
import { asService } from '../domain/context.ts'
import { handleSignals } from '../domain/incidents/handle.ts'
import { senders } from '../domain/senders/index.ts'
import { createService } from '../domain/services/create.ts'
import { Receiver } from '../domain/signals/receive.ts'
import { addSource } from '../domain/sources/add.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { acting } from './acting.ts'
import { owner } from './people.ts'
import { workspace } from './teams.ts'

interface DemoAlert {
  minutesAgo: number
  service: string
  title: string
  severity: string
  fingerprint: string
  status?: 'resolved'
  description?: string
  labels?: Record<string, string>
}

/** Watched by a source of their own, so that nothing a visitor sends joins them. Nothing is started from them. */
const watched = ['tracking-page', 'parcel-search']

const alerts: DemoAlert[] = [
  {
    minutesAgo: 305,
    service: 'tracking-page',
    title: 'Tracking page answers 5xx',
    severity: 'critical',
    fingerprint: 'tracking-5xx',
    description: 'More than 4 % of requests to `/track` failed over the last five minutes.',
    labels: { region: 'eu-north', path: '/track' },
  },
  {
    minutesAgo: 268,
    service: 'tracking-page',
    title: 'Tracking page answers 5xx',
    severity: 'critical',
    fingerprint: 'tracking-5xx',
    status: 'resolved',
  },
  {
    minutesAgo: 96,
    service: 'parcel-search',
    title: 'Index disk is 71 % full',
    severity: 'low',
    fingerprint: 'search-disk',
    labels: { volume: 'search-index-1' },
  },
  {
    minutesAgo: 41,
    service: 'parcel-search',
    title: 'Search answers slowly',
    severity: 'high',
    fingerprint: 'search-slow',
    description: 'The 95th percentile of `GET /search` is 2.8 s; the objective is 800 ms.',
    labels: { region: 'eu-north', quantile: '0.95' },
  },
  {
    minutesAgo: 33,
    service: 'parcel-search',
    title: 'Search queries time out',
    severity: 'critical',
    fingerprint: 'search-timeouts',
    description: '112 queries were given up after 10 s within five minutes.',
    labels: { region: 'eu-north' },
  },
]

/** The demo's alerts of the last hours, received and understood the way real ones are, at their time. */
export async function seedOnCall({ db, secrets }: Pick<Storage, 'db' | 'secrets'>, now: Date): Promise<void> {
  const at = (minutesAgo: number) => ({ now: () => new Date(now.getTime() - minutesAgo * 60_000) })
  const before = await acting(db, at(1_500), workspace.slug, owner.email)
  const services: string[] = []
  for (const name of watched) {
    const settings = { observeOnly: name === 'parcel-search' }
    services.push(fromJson(await createService(before, { name, team: 'data-platform', settings })).id)
  }
  const name = 'Probes of the public pages'
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
    const receiver = new Receiver({ db, clock, queue: silentQueue, onWritten: () => {} })
    const delivered = { body: Buffer.from(JSON.stringify(alert)), headers: {}, query: {} }
    await receiver.receive(known, delivered, senders.generic.format(delivered))
    await handleSignals(asService({ ...before, clock }, before.workspaceId))
  }
}
