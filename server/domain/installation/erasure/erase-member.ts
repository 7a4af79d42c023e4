import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { type Erased, erasePerson } from './erase.ts'
import { selectMemberEmail, selectOtherWorkspaces } from './store.ts'

/**
 * An owner erases a member of their workspace who has asked for it. The account is of the whole installation, so it is
 * not one owner's to erase while another workspace has it. `email` is what the owner typed to confirm.
 */
export async function eraseMember(
  ctx: Context,
  { id, email }: { id: string; email: string },
): Promise<Erased> {
  requireRole(ctx, 'owner', 'erase a person')
  if (ctx.actor.type === 'human' && ctx.actor.userId === id)
    throw new DomainError('conflict', 'You cannot erase yourself. Ask another owner or the server operator.')
  const member = await selectMemberEmail(ctx.db, ctx.workspaceId, id)
  if (member === undefined)
    throw new DomainError('not_found', 'That person is not a member of the workspace.')
  if (member !== email.trim().toLowerCase())
    throw new DomainError('invalid_request', '`email` is not the email address of this member.')
  if (await selectOtherWorkspaces(ctx.db, ctx.workspaceId, id))
    throw new DomainError(
      'conflict',
      'This person is also a member of another workspace. Ask the server operator to erase them.',
    )
  return erasePerson(ctx, id, { home: ctx.workspaceId })
}
