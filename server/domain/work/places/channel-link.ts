import { DomainError } from '../../errors.ts'
import type { Chat } from '../../ports/chat.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../ports/connection.ts'

/** The channel that a link leads to, as the tool knows it; what it refuses is said in its words. */
export async function channelOf(
  chat: Chat | null,
  connection: Connection,
  link: string,
): Promise<{ id: string; name: string }> {
  const channel = channelIn(link)
  if (!chat || connection.kind !== 'slack')
    throw new DomainError('invalid_request', `${connection.name} isn’t a connection to a chat tool.`)
  return chat.findChannel(connection, channel).catch(inWords)
}

/** What a tool refuses while a person waits for it. */
export function inWords(error: unknown): never {
  if (error instanceof ToolRefused) throw new DomainError('invalid_request', error.message)
  if (error instanceof ToolBusy) throw new DomainError('service_unavailable', `${error.message} Try again.`)
  throw error
}

/** `https://acme.slack.com/archives/C0123ABCD`, or only its last part. */
function channelIn(link: string): string {
  const [, channel] = /(?:^|\/archives\/)([CG][A-Z0-9]{6,20})(?:[/?#]|$)/.exec(link.trim()) ?? []
  if (channel) return channel
  throw new DomainError(
    'invalid_request',
    'That isn’t a link to a channel. In Slack, open the channel’s menu, choose Copy link, and paste it here.',
  )
}
