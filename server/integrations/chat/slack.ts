import type { Chat, ChatMessage, ChatPost } from '../../domain/ports/chat.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Call, ToolRequest } from '../connections/call.ts'
import { escaped, shortened } from './mrkdwn.ts'
import { blocksOf } from './slack-blocks.ts'
import { slackSockets } from './slack-socket.ts'

/** Slack, by its Web API. It answers 200 also when it refuses; the call reads that. */
export function slackChat(call: Call, clock: Clock, allow: readonly string[]): Chat {
  const write = async (connection: Connection, method: string, json: Record<string, unknown>) => {
    return (await call(connection, { method: 'POST', path: `/${method}`, json })).body
  }
  /** What Slack is only asked it does not take as JSON. */
  const ask = async (connection: Connection, method: string, query: NonNullable<ToolRequest['query']>) =>
    (await call(connection, { path: `/${method}`, query })).body

  /** What was posted with that key; undefined: nothing was. */
  async function findPosted(connection: Connection, { channel, under, key }: ChatPost) {
    const asked = { channel, limit: 200, include_all_metadata: true }
    const isIt = ({ metadata }: Posted) => metadata?.event_payload?.key === key
    // The newest come first in a channel; in a thread they come last, and a long one has several pages.
    if (!under) return (await messagesOf(ask(connection, 'conversations.history', asked))).all.find(isIt)?.ts
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const replies = await messagesOf(
        ask(connection, 'conversations.replies', { ...asked, ts: under, cursor }),
      )
      const found = replies.all.find(isIt)
      if (found || !replies.next) return found?.ts
      cursor = replies.next
    }
    return undefined
  }

  return {
    apartMs: 1_000,
    async post(connection, post) {
      const found = post.mayBeThere ? await findPosted(connection, post) : undefined
      if (found) return found
      const { ts } = await write(connection, 'chat.postMessage', {
        channel: post.channel,
        ...contentOf(post.message),
        ...(post.under ? { thread_ts: post.under } : {}),
        ...{ unfurl_links: false, unfurl_media: false },
        metadata: { event_type: 'signalbox', event_payload: { key: post.key } },
      })
      return ts as string
    },
    async update(connection, channel, message, shown) {
      await write(connection, 'chat.update', { channel, ts: message, ...contentOf(shown) })
    },
    async postEphemeral(connection, { channel, user }, text) {
      await write(connection, 'chat.postEphemeral', { channel, user, text: escaped(text) })
    },
    async openDirect(connection, user) {
      const { channel } = await write(connection, 'conversations.open', { users: user })
      return (channel as { id: string }).id
    },
    async findChannel(connection, channel) {
      const { channel: found } = await ask(connection, 'conversations.info', { channel })
      const { id, name, is_member: isMember, is_archived: isArchived } = found as FoundChannel
      if (isArchived) throw new ToolRefused('not_found', `#${name} is archived in Slack.`)
      if (isMember === false)
        throw new ToolRefused('forbidden', `Signalbox isn’t in #${name}. Invite it there, then try again.`)
      return { id, name: `#${name}` }
    },
    async findUser(connection, user) {
      const { user: found } = await ask(connection, 'users.info', { user })
      const { id, name, profile, is_email_confirmed: isConfirmed, is_bot: isBot } = found as FoundUser
      return {
        id,
        name: profile?.display_name || profile?.real_name || name,
        email: isConfirmed && !isBot ? (profile?.email ?? null) : null,
      }
    },
    openSocket: slackSockets(call, clock, allow),
  }
}

/** Of a thread: two thousand messages. */
const mostPages = 10

async function messagesOf(asked: Promise<Record<string, unknown>>) {
  const { messages, response_metadata: more } = (await asked) as {
    messages: Posted[]
    response_metadata?: { next_cursor?: string }
  }
  return { all: messages, next: more?.next_cursor || undefined }
}

interface Posted {
  ts: string
  metadata?: { event_payload?: { key?: string } }
}

interface FoundChannel {
  id: string
  name: string
  is_member?: boolean
  is_archived?: boolean
}

interface FoundUser {
  id: string
  name: string
  is_bot?: boolean
  is_email_confirmed?: boolean
  profile?: { display_name?: string; real_name?: string; email?: string }
}

/** Blocks for people, and the text for notifications and for readers that show none. */
const contentOf = (message: ChatMessage) => ({
  text: shortened(escaped([message.title, ...message.body.map(textOf)].join('\n')), 3_000),
  blocks: blocksOf(message),
})

const textOf = (text: ChatMessage['body'][number]) => {
  if (typeof text === 'string') return text
  return 'markdown' in text ? text.markdown : [text.heading, ...text.linked.map((one) => one.text)].join('\n')
}
