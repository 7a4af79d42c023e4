import { Type } from 'typebox'
import { nullable, type Of, oneOf } from './shapes.ts'

const text = Type.String()
const names = Type.Array(text)
const only = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false })

/** What was read before a merge was made, and let it be made. Null: the host has no such thing. */
export const MergeRead = only({
  /** Of the pull request, as the host told it. */
  head: text,
  /** `withoutWeight`: who asked for changes and may not write there. */
  reviews: nullable(only({ approvedBy: names, withoutWeight: names, isRequired: Type.Boolean() })),
  /** By name; what failed or had not ended would have kept it back. */
  checks: nullable(only({ passed: names, skipped: names })),
  queue: nullable(oneOf(['merge_queue', 'merge_train', 'none'])),
  /**
   * The main branch, where it stood and how it was: as its host checks it, or as a runner found it there. `red`: the change
   * may mend it. `kept`: a person lets merges go on. `unknown`: there is no repository to look at.
   */
  main: only({
    commit: nullable(text),
    state: oneOf(['green', 'red', 'kept', 'pending', 'unchecked', 'unknown']),
    by: nullable(oneOf(['host', 'runner'])),
  }),
})
export type MergeRead = Of<typeof MergeRead>
