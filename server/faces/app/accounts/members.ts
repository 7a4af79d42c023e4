import type { reads, writes } from '@signalbox/contract/app/members.ts'
import { inviteMember } from '../../../domain/accounts/invitations/invite.ts'
import { listInvitations } from '../../../domain/accounts/invitations/list.ts'
import { revokeInvitation } from '../../../domain/accounts/invitations/revoke.ts'
import { changeRole } from '../../../domain/accounts/workspaces/change-role.ts'
import { listMembers } from '../../../domain/accounts/workspaces/list-members.ts'
import { removeMember } from '../../../domain/accounts/workspaces/remove-member.ts'
import { eraseMember } from '../../../domain/installation/erasure/erase-member.ts'
import type { Handlers } from '../operation.ts'

export const membersHandlers: Handlers<typeof reads & typeof writes> = {
  'members.list': async (ctx) => ({ data: await listMembers(ctx) }),
  'members.invitations': async (ctx) => ({ data: [...(await listInvitations(ctx))] }),
  'members.invite': (ctx, input, tools) => inviteMember(ctx, input, tools),
  'members.revokeInvitation': async (ctx, { id }) => {
    await revokeInvitation(ctx, id)
    return null
  },
  'members.changeRole': async (ctx, { id, role }) => {
    await changeRole(ctx, id, role)
    return null
  },
  'members.erase': async (ctx, input) => {
    const { values } = await eraseMember(ctx, input)
    return { values }
  },
  'members.remove': async (ctx, { id }) => {
    await removeMember(ctx, id)
    return null
  },
}
