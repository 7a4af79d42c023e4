/** What a line of a month's file holds. One JSON value a line: the head, then entries and hashes by their position. */
export interface MonthHead {
  format: typeof monthFormat
  workspace: string
  /** The workspace's slug when it was written, for people. */
  slug: string
  month: string
  entries: number
  /** A signed checkpoint that covers all of them, and the signed note that says how many there are. */
  checkpoint: string
  note: string
  key: string
  keyChanges?: string[]
}

export interface MonthEntry {
  position: number
  hash: string
  entry: unknown
}

export type MonthPart =
  | MonthEntry
  /** The hash over what is not of this month. */
  | { from: number; to: number; hash: string }

export const monthFormat = 'signalbox-audit-month/1'

export const monthFileName = (month: string, workspaceId: string): string =>
  `audit-${month}-${workspaceId}.jsonl.gz`
