import { withTexts } from '@signalbox/contract/runner/event-texts.ts'
import { visible } from '@signalbox/contract/visible.ts'

/**
 * What a worker says, as it is kept. A runner is not believed, and an agent may print anything: what people read of it
 * has nothing in it that they would not see. What is compared stays as it is, but for what jsonb does not take: a NUL and
 * half of a surrogate pair.
 */
export const sanitizeJson = <E extends object>(said: E): E =>
  withTexts(JSON.parse(JSON.stringify(said)) as E, (text, kind) =>
    kind === 'fact' ? text.replaceAll('\0', '').toWellFormed() : visible(text),
  )
