/** What a finding is about. A policy can let each pass without asking a person; contract/guard/guard.ts says when it is made. */
export const findingKinds = ['mode', 'name', 'measure', 'attributes', 'size'] as const
export type FindingKind = (typeof findingKinds)[number]

/** Something about a change that whoever decides on it should know. */
export interface Finding {
  kind: FindingKind
  /** As git has it. */
  path: string
  /** A whole sentence, with the path as people see it. */
  says: string
}
