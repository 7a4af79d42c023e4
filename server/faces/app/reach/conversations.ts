import type { reads, writes } from '@signalbox/contract/app/conversations.ts'
import { confirmReply } from '../../../domain/reach/conversations/confirm.ts'
import { dismissReply } from '../../../domain/reach/conversations/dismiss.ts'
import { readConversation } from '../../../domain/reach/conversations/read.ts'
import { replyToRequirement } from '../../../domain/reach/conversations/reply.ts'
import type { Handlers } from '../operation.ts'

export const conversationsHandlers: Handlers<typeof reads & typeof writes> = {
  'conversations.read': async (ctx, { slug }) => ({ data: await readConversation(ctx, slug) }),
  'conversations.reply': (ctx, input, tools) => replyToRequirement(ctx, tools, input),
  'conversations.confirm': (ctx, { reply }) => confirmReply(ctx, reply),
  'conversations.dismiss': async (ctx, { reply }) => {
    await dismissReply(ctx, reply)
    return null
  },
}
