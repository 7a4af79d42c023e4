import type { Static, TObject, TSchema } from 'typebox'

/** What the web app may ask for: what it sends and what it gets. Names are `noun.verb`. */
export interface Operation<I extends TObject = TObject, A extends TSchema = TSchema> {
  input: I
  response: A
}

export type Operations = Record<string, Operation>

export const operation = <I extends TObject, A extends TSchema>(input: I, response: A): Operation<I, A> => ({
  input,
  response,
})

export type InputOf<O extends Operation> = Static<O['input']>
export type ResponseOf<O extends Operation> = Static<O['response']>
