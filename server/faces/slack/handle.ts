import type { Context } from '../../domain/context.ts'
import type { Connection } from '../../domain/ports/connection.ts'
import { planReply } from '../../domain/reach/conversations/plan-reply.ts'
import { requirementOfThread } from '../../domain/reach/conversations/requirement-of-thread.ts'
import { contextOfChatUser } from '../../domain/work/chat/act-as.ts'
import { linkAddress } from '../../domain/work/chat/link-address.ts'
import { noteClick } from '../../domain/work/chat/note-click.ts'
import { planEphemeralMessage } from '../../domain/work/chat/plan-ephemeral-message.ts'
import { planLinkOffer } from '../../domain/work/chat/plan-link-offer.ts'
import { readWorkspaceSlug } from '../../domain/work/chat/workspace-slug.ts'
import { handleClick } from './clicks.ts'
import { handleCommand } from './commands.ts'
import type { SlackPayload } from './payload.ts'

export interface HandlingServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  publicUrl: () => string
  /** Slack reads markup in what a command answers; what is in it may come from anywhere. */
  escaped: (text: string) => string
}

/** The answer that Slack gets at once; null: an empty one. */
export type SlackAnswer = Record<string, unknown> | null

const ephemeral = (text: string): SlackAnswer => ({ response_type: 'ephemeral', text })

/**
 * Does what someone in Slack wants, in the same words of the domain as every other channel. Nothing outside is waited
 * for: what else there is to say goes through the outbox.
 */
export async function handle(
  services: HandlingServices,
  connection: Connection,
  payload: SlackPayload,
  requestId: string,
): Promise<SlackAnswer> {
  if (payload.type === 'challenge') return { challenge: payload.challenge }
  if (payload.type === 'other' || payload.user === '') return null
  if (payload.type === 'click') await noteClick(services, connection)
  const ctx = await contextOfChatUser(services, connection, payload.user, { requestId, presence: 'chat' })

  if (payload.type === 'command') {
    const user = { id: payload.user, name: payload.userName }
    if (!ctx || /^\s*link\b/i.test(payload.text)) {
      const url = await linkAddress(services, services, connection, user)
      return ephemeral(`Link your Slack account to Signalbox: ${url} (valid for 15 minutes).`)
    }
    const app = `${services.publicUrl()}/${await readWorkspaceSlug(ctx)}`
    const place = { connectionId: connection.id, channel: payload.channel, user: payload.user, app }
    return ephemeral(services.escaped(await handleCommand(ctx, payload.text, place)))
  }

  const to = { channel: payload.channel, user: payload.user }
  if (payload.type === 'said') {
    const { channel, thread, text, message } = payload
    const requirement = await requirementOfThread(services, connection, { channel, thread })
    // Other threads are none of ours.
    if (!requirement) return null
    if (ctx) await planReply(ctx, { requirement, text, source: `${connection.id}/${channel}/${message}` })
    else await planLinkOffer(services, connection, to)
    return null
  }
  if (payload.action === 'test/click') {
    await planEphemeralMessage(services, connection, to, 'It works: clicks reach Signalbox.')
    return null
  }
  if (!ctx) {
    await planLinkOffer(services, connection, to)
    return null
  }
  const said = await handleClick(ctx, payload)
  if (said) await planEphemeralMessage(services, connection, to, said)
  return null
}
