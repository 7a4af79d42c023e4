import type { reads, writes } from '@signalbox/contract/app/managed.ts'
import { listDrift } from '../../../domain/configuration/plans/list-drift.ts'
import { listManaged } from '../../../domain/record/managed/list.ts'
import { unlockManaged } from '../../../domain/record/managed/unlock.ts'
import type { Handlers } from '../operation.ts'

export const managedHandlers: Handlers<typeof reads & typeof writes> = {
  'managed.list': async (ctx) => ({ data: [...(await listManaged(ctx))] }),
  'managed.drift': async (ctx, _, { webhooks: { sender }, ...tools }) => ({
    data: await listDrift(ctx, { ...tools, sender }),
  }),
  'managed.unlock': async (ctx, { kind, id }) => {
    await unlockManaged(ctx, kind, id)
    return null
  },
}
