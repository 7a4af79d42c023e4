export const reportKinds = ['junit', 'tap', 'sarif', 'go'] as const

/** Where a report is found: `path` is relative to the folder, may have stars, and null means: what is printed. */
export interface ReportPlace {
  folder: string
  report: { kind: (typeof reportKinds)[number]; path: string | null } | null
}

export interface Tests {
  passed: number
  failed: number
  skipped: number
}

/** What the report of a gate says. */
export interface Report {
  tests: Tests | null
  failures: string[]
  /** Names of those that passed; of a report that was not kept with names, nothing. */
  passes?: string[]
  /** In words, where it does not count tests. */
  words: string | null
}

export const mostFailures = 100
export const mostPasses = 1_000
/** Output beyond this is not read. */
export const mostOfAReport = 20 * 1024 * 1024

/** A name as one line, whatever someone called a test. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 200)
