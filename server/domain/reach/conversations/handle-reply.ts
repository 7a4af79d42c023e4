import { DomainError } from '../../errors.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { Splitter } from '../../ports/splitter.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { replyToRequirement } from './reply.ts'

/** Handles what a person said in a chat thread, in their name. The chat tool does not wait for it. */
export const handleReply =
  (tools: { splitter: Splitter; gitHost: GitHost | null }): Performer<'hear_reply'> =>
  async (ctx, effect) => {
    const { requirement: slug, text, source } = effect.data
    // Replies from former members, and replies that are too long, are ignored.
    await replyToRequirement(ctx, tools, { slug, text, source }).catch((error) => {
      if (!(error instanceof DomainError)) throw error
    })
    return { settle: async () => [] }
  }
