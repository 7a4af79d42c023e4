import { plainLine, withoutMentions } from '../../plain-text.ts'
import type { ChatMessage } from '../../ports/chat.ts'
import type { StoredReply } from './store.ts'

/**
 * A reply as shown in the thread of its requirement: what was said elsewhere, our response, and the outcome of what it
 * asked for. Null: it was said in that tool, and needs no response.
 */
export function replyMessage(reply: StoredReply, tool: string): ChatMessage | null {
  const isFromHere = reply.channel === tool
  if (isFromHere && reply.response === null) return null
  const isOpen = reply.asks !== null && reply.outcome === null
  const button = (id: string, label: string, isRecommended: boolean) => ({
    ...{ id: `reply/${reply.id}/${id}`, label, explained: null, isRecommended },
  })
  const author = plainLine(reply.author, 100)
  return {
    title: isFromHere ? `Re: ${author}` : `${author}, in the app`,
    body: [
      ...(isFromHere ? [] : [reply.text]),
      ...(reply.response === null ? [] : [reply.response]),
      ...(reply.outcomeText === null ? [] : [reply.outcomeText]),
    ].map(withoutMentions),
    buttons: isOpen ? [button('confirm', 'Confirm', true), button('dismiss', 'Cancel', false)] : [],
    ...{ note: null, links: [] },
    footer: isOpen ? `Only ${author} can confirm this.` : null,
  }
}
