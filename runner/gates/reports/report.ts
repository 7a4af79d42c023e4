import type { GateRun } from '../gate.ts'

/** What the report of a gate says. */
export interface Report {
  tests: GateRun['tests']
  failures: string[]
  /** In words, where it does not count tests. */
  words: string | null
}

export const mostFailures = 100
/** Whoever prints more than this is not read. */
export const mostOfAReport = 20 * 1024 * 1024

/** A name as one line, whatever somebody called a test. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 200)
