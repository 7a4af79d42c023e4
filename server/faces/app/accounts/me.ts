import type { reads } from '@signalbox/contract/app/me.ts'
import { listWorkspacesOf } from '../../../domain/accounts/people/list-workspaces.ts'
import type { PersonalHandlers } from '../operation.ts'

export const meHandlers: PersonalHandlers<typeof reads> = {
  me: async ({ personId, name, email }, _, { db }) => ({
    id: personId,
    name,
    email,
    workspaces: await listWorkspacesOf(db, personId),
  }),
}
