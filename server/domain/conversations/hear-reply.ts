import { DomainError } from '../errors.ts'
import type { Performer } from '../outbox/perform.ts'
import type { GitHost } from '../ports/git-host.ts'
import type { Splitter } from '../ports/splitter.ts'
import { replyToRequirement } from './reply.ts'

/** Hears what somebody said in a chat thread, in their name. The chat tool does not wait for it. */
export const hearReply =
  (tools: { splitter: Splitter; gitHost: GitHost | null }): Performer<'hear_reply'> =>
  async (ctx, effect) => {
    const { requirement: slug, text, source } = effect.data
    // Whoever has left, or wrote more than a reply can hold, is not heard.
    await replyToRequirement(ctx, tools, { slug, text, source }).catch((error) => {
      if (!(error instanceof DomainError)) throw error
    })
    return { settle: async () => [] }
  }
