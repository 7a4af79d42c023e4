import { fromJson } from '@signalbox/contract/shapes.ts'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import type { Storage } from '../../server/app/storage.ts'
import { createService } from '../../server/domain/on-call/services/create.ts'
import { addSource } from '../../server/domain/on-call/sources/add.ts'
import { secretRow } from '../../server/domain/on-call/sources/secret-row.ts'
import type { Clock } from '../../server/infra/clock.ts'
import { tables } from '../../server/test/tables.ts'
import { owner } from '../halden-parcels/people.ts'
import { sources } from '../halden-parcels/sources.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { acting } from './acting.ts'

export type DemoSources = Record<SenderKind, { url: string; secret: string }>

/** Makes what is missing, and tells where each kind of sender delivers and with which secret. */
export async function demoSources(
  storage: Pick<Storage, 'db' | 'secrets'>,
  clock: Clock,
  signalUrl: string,
): Promise<DemoSources> {
  const ctx = await acting(storage.db, clock, haldenParcels.slug, owner.email)
  const known = await tables(storage.db)
    .selectFrom('sources')
    .select(['id', 'kind', 'name', 'token', 'secret'])
    .where('workspace_id', '=', ctx.workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  const found: Partial<DemoSources> = {}
  for (const kind of senderKinds) {
    const { service, team, name } = sources[kind]
    const row = known.find((one) => one.kind === kind && one.name === name)
    if (row?.secret) {
      found[kind] = {
        url: `${signalUrl}/${row.token}`,
        secret: storage.secrets.decrypt(row.secret, secretRow(row.id)),
      }
      continue
    }
    const { id } = fromJson(await createService(ctx, { name: service, team }))
    const added = await addSource(ctx, storage.secrets, { kind, name, services: [id] })
    found[kind] = { url: `${signalUrl}/${fromJson(added.source).token}`, secret: added.secret! }
  }
  return found as DemoSources
}

/** Where the sender of that name delivers, and with which secret. */
export async function sourceNamed(
  { db, secrets }: Pick<Storage, 'db' | 'secrets'>,
  name: string,
  signalUrl: string,
): Promise<{ url: string; secret: string } | null> {
  const row = await tables(db)
    .selectFrom('sources')
    .innerJoin('workspaces', 'workspaces.id', 'sources.workspace_id')
    .select(['sources.id', 'sources.token', 'sources.secret'])
    .where('workspaces.slug', '=', haldenParcels.slug)
    .where('sources.name', '=', name)
    .where('sources.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row?.secret) return null
  return { url: `${signalUrl}/${row.token}`, secret: secrets.decrypt(row.secret, secretRow(row.id)) }
}
