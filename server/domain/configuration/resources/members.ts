import type { ManagedMember } from '@signalbox/contract/manage/members.ts'
import { changeRole } from '../../accounts/workspaces/change-role.ts'
import { listMembers } from '../../accounts/workspaces/list-members.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import type { Kind } from './kind.ts'

export const membersKind: Kind<ManagedMember> = {
  list: async (ctx) =>
    (await listMembers(ctx)).map(({ id, email, role }) => ({ id, suggested: email, spec: { role } })),
  full: ({ role }) => ({ role }),
  brief: (spec) => spec,
  refers: () => [],
  check(ctx, { before, wanted: { role } }, { after }) {
    if (before && (before.role === 'owner' || role === 'owner'))
      requireRole(ctx, 'owner', 'change the role of an owner')
    if (!after('members').some(({ spec }) => (spec as ManagedMember).role === 'owner'))
      throw new DomainError('conflict', 'The workspace needs an owner. Make someone else an owner first.')
  },
  isSame: () => false,
  create: 'No member has this email address. Invite the person in the app first.',
  change: (ctx, id, { wanted: { role } }) => changeRole(ctx, id, role),
  remove: null,
}
