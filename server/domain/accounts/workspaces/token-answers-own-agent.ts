import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockWorkspace, selectOwnAnswers, updateOwnAnswers } from './store.ts'

/** Whether a token may answer what a coding agent of the same person asked. It may not, unless the workspace allows it. */
export const mayTokenAnswerOwnAgent = (ctx: Pick<Context, 'db' | 'workspaceId'>): Promise<boolean> =>
  selectOwnAnswers(ctx.db, ctx.workspaceId)

/** An agent with a person's token could answer itself. In the app it is the person who answers, so nothing is forbidden there. */
export async function requireTokenMayAnswerOwnAgent(ctx: Context): Promise<void> {
  if (await mayTokenAnswerOwnAgent(ctx)) return
  throw new DomainError(
    'own_question',
    'Your own coding agent asked this question, and this workspace does not let your tokens answer it. Answer in the app, or ask someone else.',
  )
}

export async function setTokenAnswersOwnAgent(ctx: Context, allowed: boolean): Promise<void> {
  requireRole(ctx, 'admin', 'change who can answer a coding agent’s question')
  await change(ctx, async (tx) => {
    const workspace = await lockWorkspace(tx, ctx.workspaceId)
    if (!workspace) throw new DomainError('not_found', 'This workspace was deleted.')
    const before = await selectOwnAnswers(tx, ctx.workspaceId)
    if (before === allowed)
      throw new DomainError('conflict', `Answering one’s own question is already ${words(allowed)}.`)
    await updateOwnAnswers(tx, ctx.workspaceId, allowed)
    return {
      value: undefined,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
        details: { changes: [{ field: 'ownAnswers', before: words(before), after: words(allowed) }] },
      },
    }
  })
}

const words = (allowed: boolean) => (allowed ? 'allowed' : 'forbidden')
