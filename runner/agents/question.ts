import { option } from '@signalbox/contract/runner/messages.ts'
import type { Of } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'

/** A question with two to four answers; the agent ends its turn, and a person answers. */
export const Question = Type.Object({
  question: Type.String({ minLength: 1, maxLength: 4_000 }),
  context: Type.String({ maxLength: 20_000 }),
  options: Type.Array(option, { minItems: 2, maxItems: 4 }),
  /** The id of one of the options. */
  recommendation: Type.String({ maxLength: 40 }),
})
export type Question = Of<typeof Question>
