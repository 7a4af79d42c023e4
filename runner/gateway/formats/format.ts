import type { Json, Look } from './inspect-request.ts'

/**
 * The model APIs that the gateway knows. What is not named here cannot be called: it could cost what is not metered.
 */
export type Api = 'anthropic' | 'openai' | 'google'

/** One way to ask a model over HTTP: which of its fields are allowed, and where the most it may answer is said. */
export interface Format {
  readonly name: 'messages' | 'chat' | 'responses' | 'content'
  readonly api: Api
  /** Throws `NotAllowed`. */
  look(body: Json, look: Look): void
  /** What grows from call to call: the rest of a request is the same for a whole session. */
  readonly turns: string
  /** What was asked for; null: nothing. */
  most(body: Json): number | null
  /** How many answers are wanted at once, each of which may be that long. */
  answers(body: Json): number
  /** The fields that say the most, with another number: always the same ones, in place of those of the request. */
  withMost(body: Json, most: number): Json
  /** Whether its provider forgets a part of a long request: then a longer one need not cost more. */
  forgets(body: Json): boolean
  /** The shortest answer that is of any use: rather than a shorter one there is none. */
  least(body: Json): number
  /** What is set in each request, whatever it says. `isOfficial`: it goes to the maker of the format itself. */
  settled(body: Json, to: { isOfficial: boolean; look: Look }): Json
}

/** In tokens. */
export const leastAnswer = 256
