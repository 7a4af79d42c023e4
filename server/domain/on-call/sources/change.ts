import { isDeepStrictEqual } from 'node:util'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { dropRefusals, tryAgain } from '../../tools/connections/clear-refusal.ts'
import { credentialsRow } from './secret-row.ts'
import { checkCredentials, checkedSourceSettings, invalid } from './settings.ts'
import { lockSource, type StoredSource, selectSource, selectUnknownServices, updateSource } from './store.ts'

export interface SourceChange {
  name?: string
  services?: string[]
  settings?: Record<string, unknown>
  /** Null takes them away. */
  credentials?: string | null
}

/** Changes what a source is called, which services it feeds, or what is known of its sender. */
export async function changeSource(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  id: string,
  input: SourceChange,
): Promise<Json<StoredSource>> {
  requireRole(ctx, 'admin', 'change a source')
  const { value, sequence } = await change(ctx, async (tx) => {
    const locked = await lockSource(tx, ctx.workspaceId, id)
    if (!locked) throw notFound('source', id)
    await refuseManaged(ctx, tx, 'sources', id)
    checkCredentials(locked.kind, input.credentials)
    const before = fromJson((await selectSource(tx, ctx.workspaceId, id))!.json)
    const after = {
      name: checkedText('name', input.name ?? before.name, { least: 1, most: maxNameLength }),
      services: [...new Set(input.services ?? before.services)].sort(),
      settings: checkedSourceSettings(locked.kind, input.settings ?? before.settings),
    }
    const unknown = await selectUnknownServices(tx, ctx.workspaceId, after.services)
    if (unknown.length > 0) throw invalid(`there is no service ${unknown[0]}`)
    const changes = (['name', 'services', 'settings'] as const)
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field): Changed => ({ field, before: before[field], after: after[field] }))
    if (input.credentials !== undefined)
      // The audit log says that the credentials changed, but not what they are.
      changes.push({
        field: 'credentials',
        before: before.canUpdateAlerts,
        after: input.credentials !== null,
      })
    if (changes.length === 0)
      throw new DomainError('conflict', 'Nothing to change: the source already has these settings.')
    const credentials =
      input.credentials === undefined
        ? {}
        : {
            credentials:
              input.credentials === null ? null : secrets.encrypt(input.credentials, credentialsRow(id)),
          }
    await updateSource(tx, ctx.workspaceId, id, { ...after, ...credentials }, ctx.clock.now())
    const mended = await afterRefusals(ctx, tx, id, changes)
    return {
      value: {
        value: (await selectSource(tx, ctx.workspaceId, id))!.json,
        sequence: await invalidate(tx),
      },
      audit: [
        {
          event: 'signal_source_changed',
          entity: { type: 'signal_source', id, name: after.name },
          details: { change: 'changed', changes },
        },
        ...mended,
      ],
    }
  })
  await confirmed(ctx.db, sequence)
  return value
}

/** What the tool refused waits no longer: for another key, user or address it is tried now, and without a key it ends. */
async function afterRefusals(ctx: Context, tx: Tx, id: string, changes: Changed[]): Promise<Entry[]> {
  const key = changes.find(({ field }) => field === 'credentials')
  if (key?.after === false) await dropRefusals(ctx, tx, { sourceId: id })
  else if (key || changes.some(({ field }) => field === 'settings'))
    return tryAgain(ctx, tx, { sourceId: id })
  return []
}

interface Changed {
  field: string
  before: unknown
  after: unknown
}
