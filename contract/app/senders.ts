import { Type } from 'typebox'
import { nullable, type Of, oneOf } from '../shapes.ts'
import { senderKinds } from '../signal.ts'
import { type Operations, operation } from './operation.ts'

/** What can be set for a sender apart from its secret: typed in, chosen, or ticked. It may be left out. */
export const SenderSetting = Type.Object({
  name: Type.String(),
  label: Type.String(),
  hint: Type.String(),
  placeholder: Type.Optional(Type.String()),
  options: Type.Optional(Type.Array(Type.String({ description: 'the first is the usual one' }))),
  ticked: Type.Optional(Type.String({ description: 'its value when it is ticked' })),
})
export type SenderSetting = Of<typeof SenderSetting>

/** A kind of alerting tool, as people are told about it. */
export const Sender = Type.Object({
  kind: oneOf(senderKinds),
  name: Type.String(),
  inSentence: Type.String({ description: 'the name within a sentence' }),
  sourceName: Type.String({ description: 'what a new source of it is called' }),
  about: Type.String({ description: 'what it is good for' }),
  proof: Type.String({ description: 'how it shows that it knows the secret' }),
  ownSecret: nullable(Type.String({ description: 'the sender makes the secret, under this name' })),
  credentials: nullable(
    Type.String({ description: 'alerts can be acknowledged and resolved there, with this as credentials' }),
  ),
  settings: Type.Array(SenderSetting),
  tested: nullable(Type.String({ description: 'what is said after a test, where it tries only a part' })),
})
export type Sender = Of<typeof Sender>

/** In the code, `{url}`, `{key}` (the address with its key) and `{secret}` stand for what is to be filled in. */
export const RecipeStep = Type.Object({ text: Type.String(), code: Type.Optional(Type.String()) })
export type RecipeStep = Of<typeof RecipeStep>

/** What is done in the sender to connect a source. */
export const Recipe = Type.Object({
  steps: Type.Array(RecipeStep),
  notes: Type.Array(Type.String()),
  command: nullable(
    Type.String({
      description: 'tries the address from a shell, with URL and SECRET; null: only the sender can',
    }),
  ),
  testCommand: nullable(
    Type.String({
      description:
        'the same with a mark that has it open an incident marked as a test; null: there is no command, no service, or the caller may not',
    }),
  ),
})
export type Recipe = Of<typeof Recipe>

export const reads = {
  'senders.list': operation(Type.Object({}), Type.Object({ data: Type.Array(Sender) })),
} satisfies Operations
