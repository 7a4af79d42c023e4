import { Type } from 'typebox'
import { requirementSlug } from '../keys.ts'
import { maxNoteLength } from '../limits.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

const closed = { additionalProperties: false }

/** What becomes of a reply that asks for something: nothing happens before its author confirms it. */
export const replyOutcomes = ['done', 'refused', 'dismissed'] as const

/** What someone said about a requirement, and what was said back. */
export const Reply = Type.Object({
  id: uuid,
  author: Type.String(),
  channel: oneOf(['app', 'slack', 'mcp', 'api'], 'through which it came'),
  text: Type.String(),
  response: nullable(Type.String()),
  asks: Type.Boolean({ description: 'whether it asks to answer a decision, or to stop or retry a run' }),
  mayConfirm: Type.Boolean({ description: 'whether it waits for the reader to confirm it' }),
  outcome: nullable(oneOf(replyOutcomes)),
  outcomeText: nullable(Type.String()),
  at: timestamp,
})
export type Reply = Of<typeof Reply>

export const reads = {
  /** Oldest first. */
  'conversations.read': operation(
    Type.Object({ slug: requirementSlug }),
    Type.Object({ data: Type.Array(Reply) }),
  ),
} satisfies Operations

export const writes = {
  /** Answers questions where it does; what it asks for of a decision or a run waits until it is confirmed. */
  'conversations.reply': operation(
    Type.Object({ slug: requirementSlug, text: Type.String({ maxLength: maxNoteLength }) }, closed),
    Type.Object({ id: uuid }),
  ),
  'conversations.confirm': operation(
    Type.Object({ reply: uuid }, closed),
    Type.Object({ outcome: oneOf(['done', 'refused']), text: Type.String() }),
  ),
  'conversations.dismiss': operation(Type.Object({ reply: uuid }, closed), Type.Null()),
} satisfies Operations
