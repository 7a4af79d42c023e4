import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'

/** Has a message in the thread of a requirement heard: once, however often the chat tool sends it. */
export const planReply = (
  ctx: Context,
  { requirement, text, source }: { requirement: string; text: string; source: string },
) =>
  housekeeping(ctx.db, 'read what was said in a chat thread', (tx) =>
    addEffect(ctx, tx, {
      kind: 'hear_reply',
      key: `hear_reply/${source}`,
      data: { requirement, text: text.slice(0, maxNoteLength), source },
    }),
  )
