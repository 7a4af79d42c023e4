import { Type } from 'typebox'
import { nullable, type Of, timestamp } from '../shapes.ts'

/** What a tool refuses now: the account, a place there, or one request; and how much waits for that. */
export const ToolRefusal = Type.Object({
  scope: Type.String(),
  name: nullable(Type.String({ description: 'what people call the channel, project or repository' })),
  message: Type.String(),
  since: timestamp,
  lastAt: timestamp,
  nextTryAt: nullable(timestamp),
  waiting: Type.Integer(),
})
export type ToolRefusal = Of<typeof ToolRefusal>
