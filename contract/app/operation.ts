import type { Static, TObject, TSchema } from 'typebox'

/** What the web app may ask for: what it sends and what it gets. Names are `noun.verb`. */
export interface Operation<I = unknown, A = unknown> {
  input: TObject
  response: TSchema
  /** Needs a proof that is minutes old that the person at the screen is the one who signed in. */
  needsProof?: true
  /** Never there: the types stand beside the shapes, so that the compiler works each out once, and not all at a time. */
  readonly sends?: I
  readonly gets?: A
}

export type Operations = Record<string, Operation>

export const operation = <I extends TObject, A extends TSchema>(
  input: I,
  response: A,
): Operation<Static<I>, Static<A>> => ({ input, response })

export const proven = <I, A>(asked: Operation<I, A>): Operation<I, A> => ({ ...asked, needsProof: true })

export type InputOf<O extends Operation> = NonNullable<O['sends']>
export type ResponseOf<O extends Operation> = Exclude<O['gets'], undefined>
