import { Type } from 'typebox'
import { nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

/** A day in the time zone of the person whose report it is. */
const morning = Type.String({ format: 'date', examples: ['2026-03-31'] })

/** Where a sentence leads: to a thing, to a list of things, or to the entries of an event in the audit log. */
export const targetTypes = [
  'run',
  'decision',
  'incident',
  'story',
  'connection',
  'source',
  'webhook',
  'insights',
  'runs',
  'inbox',
  'incidents',
  'runners',
  'audit',
] as const

const Target = Type.Object({
  type: oneOf(targetTypes),
  id: Type.String({
    description:
      'key or id of the thing; of insights a team; of runs, the inbox and incidents a status; of audit an event. Empty: all of it',
  }),
})
export type Target = Of<typeof Target>

export const tones = ['ok', 'neutral', 'warn', 'danger'] as const

export const Sentence = Type.Object({
  text: Type.String({ description: 'plain text' }),
  target: Target,
  tone: oneOf(tones),
  at: nullable(timestamp),
})
export type Sentence = Of<typeof Sentence>

/** A decision that this person may answer. */
export const WaitingSentence = Type.Object({
  ...Sentence.properties,
  recommended: Type.String({ description: 'label of the recommended option' }),
  expiresAt: nullable(timestamp),
  unblocks: Type.Integer({ description: 'how many runs, merges and stories continue once it is answered' }),
})
export type WaitingSentence = Of<typeof WaitingSentence>

const more = nullable(Sentence)

/** What happened while a person was away, from the audit log, and what waits for them. */
export const NightReport = Type.Object({
  morning: nullable(morning),
  from: timestamp,
  until: timestamp,
  done: Type.Object({ sentences: Type.Array(Sentence), more }),
  waiting: Type.Object({
    sentences: Type.Array(WaitingSentence, { description: 'in the order in which to answer' }),
    more,
    shortest: nullable(
      Type.Object({ answers: Type.Integer(), unblocks: Type.Integer(), of: Type.Integer() }),
    ),
  }),
  spent: Type.Object({ sentences: Type.Array(Sentence), more }),
  nearly: Type.Object({ sentences: Type.Array(Sentence), more }),
  isCut: Type.Boolean({ description: 'more happened than is read for one report' }),
})
export type NightReport = Of<typeof NightReport>

export const reads = {
  /** Of a morning; without one, of the last night up to now. */
  'report.read': operation(Type.Object({ morning: Type.Optional(morning) }), NightReport),
  /** The mornings on which one was sent, newest first. */
  'report.mornings': operation(Type.Object({}), Type.Array(morning)),
} satisfies Operations

export const writes = {} satisfies Operations
