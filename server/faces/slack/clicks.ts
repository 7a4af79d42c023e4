import type { Context } from '../../domain/context.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { DomainError } from '../../domain/errors.ts'
import { acknowledgeIncident } from '../../domain/on-call/incidents/acknowledge.ts'
import { resolveIncident } from '../../domain/on-call/incidents/resolve.ts'
import { takeIncident } from '../../domain/on-call/incidents/take.ts'
import { confirmReply } from '../../domain/reach/conversations/confirm.ts'
import { dismissReply } from '../../domain/reach/conversations/dismiss.ts'
import { outcomeText } from '../../domain/work/chat/outcome-text.ts'

/** What pressing a button does, and what to reply to the person; null: the message itself changes. */
export async function handleClick(
  ctx: Context,
  { action, note }: { action: string; note: string | null },
): Promise<string | null> {
  const [, reply, verb] = /^reply\/([0-9a-f-]{36})\/(confirm|dismiss)$/.exec(action) ?? []
  const [, key = '', option = ''] = /^((?:dec|inc)-[a-z0-9]{4}(?:[a-z0-9]{2})?)\/(.+)$/s.exec(action) ?? []
  try {
    if (reply) {
      await (verb === 'confirm' ? confirmReply(ctx, reply) : dismissReply(ctx, reply))
      return null
    }
    if (key.startsWith('dec-')) {
      await resolveDecision(ctx, { key, optionId: option, note, asksForNote: true })
      return null
    }
    if (option === 'acknowledge') await acknowledgeIncident(ctx, key)
    else if (option === 'take') await takeIncident(ctx, key, null)
    else if (option === 'resolve') await resolveIncident(ctx, key, { reason: note ?? 'Resolved from Slack.' })
    else return 'This button is from another version of Signalbox. Open the app instead.'
    return null
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (key.startsWith('dec-') && ['decision_already_resolved', 'decision_not_pending'].includes(error.code))
      return outcomeText(ctx, key)
    return error.message
  }
}
