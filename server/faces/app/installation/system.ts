import type { reads } from '@signalbox/contract/app/system.ts'
import { requireInstallationOwner } from '../../../domain/accounts/workspaces/installation-owner.ts'
import type { Handlers } from '../operation.ts'

export const systemHandlers: Handlers<typeof reads> = {
  'system.read': async (ctx, _, { readSystem }) => {
    await requireInstallationOwner(ctx, 'see how this installation is doing')
    return readSystem()
  },
}
