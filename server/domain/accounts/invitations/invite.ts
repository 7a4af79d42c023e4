import type { Role } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { plainLine } from '../../plain-text.ts'
import type { Mailer } from '../../ports/mailer.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { emailIn } from '../workspaces/add-person.ts'
import { findMemberByEmail } from '../workspaces/find-member.ts'
import { codeDigest, newCode } from './code.ts'
import { countInvitations, insertInvitation, markRevoked, selectWorkspaceName } from './store.ts'

const dayMs = 86_400_000
const lifeMs = 7 * dayMs

/** Each may be an email to someone who has not asked for it. Of two at once, one more may pass. */
const mostADay = 200
const mostADayToAddress = 5

export interface Invited {
  id: string
  /** To be handed over. It is not shown again. */
  link: string
  /** Whether the mail server has taken a mail with a link of its own. */
  mailed: boolean
}

/** Invites an address into the workspace. An earlier invitation of it no longer works. */
export async function inviteMember(
  ctx: Context,
  input: { email: string; role: Role },
  tools: { mailer: Mailer | null; publicUrl: () => string },
): Promise<Invited> {
  requireRole(ctx, input.role === 'owner' ? 'owner' : 'admin', 'invite people')
  const { role } = input
  const email = emailIn(input.email)
  const createdAt = ctx.clock.now()
  const id = newId(createdAt)
  const [shown, mailed] = [newCode(), tools.mailer ? newCode() : null]
  await change(ctx, async (tx) => {
    if (await findMemberByEmail(tx, ctx.workspaceId, email))
      throw new DomainError('conflict', `${email} is already a member of this workspace.`)
    await limitInvitations(ctx, tx, email, createdAt)
    await markRevoked(tx, ctx.workspaceId, { email }, createdAt)
    await insertInvitation(tx, ctx.workspaceId, {
      id,
      email,
      role,
      codeDigest: codeDigest(shown),
      mailedDigest: mailed && codeDigest(mailed),
      invitedBy: ctx.actor.type === 'human' ? ctx.actor.userId : null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + lifeMs),
    })
    return {
      value: null,
      audit: {
        event: 'member_invited',
        entity: { type: 'invitation', id, name: email },
        details: { role },
      },
    }
  })
  const linkOf = (code: string) => `${tools.publicUrl()}/invite/${code}`
  // Not an effect: what is to be done is written down, and a code is not.
  const wasMailed =
    tools.mailer && mailed ? await isMailed(tools.mailer, { ctx, id, email }, linkOf(mailed)) : false
  return { id, link: linkOf(shown), mailed: wasMailed }
}

async function limitInvitations(ctx: Context, tx: Tx, email: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - dayMs)
  const { all, toAddress } = await countInvitations(tx, ctx.workspaceId, email, since)
  if (toAddress >= mostADayToAddress)
    throw new DomainError(
      'rate_limited',
      `${email} was invited ${toAddress} times within a day. Send them the last link, or try again tomorrow.`,
    )
  if (all >= mostADay)
    throw new DomainError(
      'rate_limited',
      `A workspace can invite ${mostADay} people a day. Try again tomorrow, or ask the server operator to add them.`,
    )
}

async function isMailed(
  mailer: Mailer,
  about: { ctx: Context; id: string; email: string },
  link: string,
): Promise<boolean> {
  const workspace = plainLine(await selectWorkspaceName(about.ctx.db, about.ctx.workspaceId), 100)
  try {
    const { sent } = await mailer.send({
      key: `invitation/${about.id}`,
      to: { name: '', address: about.email },
      subject: `You’re invited to ${workspace} on Signalbox`,
      text: [
        `${plainLine(about.ctx.actor.name, 100)} has invited you to the ${workspace} workspace on Signalbox.`,
        '',
        `Accept the invitation within seven days: ${link}`,
        '',
        'If you weren’t expecting this, you can ignore this email.',
        '',
      ].join('\n'),
    })
    return sent
  } catch {
    // The inviter sees that no mail went out, and has the link.
    return false
  }
}
