import type { reads } from '@signalbox/contract/app/me.ts'
import { listWorkspacesOf } from '../../../domain/accounts/people/list-workspaces.ts'
import { isOnThisMachine } from '../../../infra/http/server.ts'
import type { PersonalHandlers } from '../operation.ts'

export const meHandlers: PersonalHandlers<typeof reads> = {
  me: async ({ personId, name, email }, _, { db }, { setToday }, request) => {
    const workspaces = await listWorkspacesOf(db, personId)
    // The settings are about all workspaces: docs/decisions/0078.
    const isOwner = workspaces.some(({ role, isFirst }) => role === 'owner' && isFirst)
    return {
      ...{ id: personId, name, email },
      setToday: isOwner && isOnThisMachine(request) ? setToday : null,
      workspaces,
    }
  },
}
