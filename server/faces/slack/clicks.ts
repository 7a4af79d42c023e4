import { outcomeText } from '../../domain/chat/outcome-text.ts'
import type { Context } from '../../domain/context.ts'
import { confirmReply } from '../../domain/conversations/confirm.ts'
import { dismissReply } from '../../domain/conversations/dismiss.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { DomainError } from '../../domain/errors.ts'
import { acknowledgeIncident } from '../../domain/incidents/acknowledge.ts'
import { resolveIncident } from '../../domain/incidents/resolve.ts'
import { takeIncident } from '../../domain/incidents/take.ts'

/** What pressing a button does, and what to say to whoever pressed it; null: what they see changes anyway. */
export async function press(
  ctx: Context,
  { action, note }: { action: string; note: string | null },
): Promise<string | null> {
  const [, reply, verb] = /^reply\/([0-9a-f-]{36})\/(confirm|dismiss)$/.exec(action) ?? []
  const [, key = '', option = ''] = /^((?:dec|inc)-[a-z0-9]{4})\/(.+)$/s.exec(action) ?? []
  try {
    if (reply) {
      await (verb === 'confirm' ? confirmReply(ctx, reply) : dismissReply(ctx, reply))
      return null
    }
    if (key.startsWith('dec-')) {
      await resolveDecision(ctx, { key, optionId: option, note })
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
