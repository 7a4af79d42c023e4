import { print, printJson } from './print.ts'

/** The result of proving something. */
export interface Verdict {
  exitCode: number
  lines: string[]
  /** What does not match, one sentence each. */
  findings: string[]
  /** What else a program wants to know. */
  facts: Record<string, unknown>
}

export function printVerdict({ exitCode, lines, findings, facts }: Verdict, json = false): void {
  if (json) printJson({ verified: exitCode === 0, signerKnown: exitCode < 3, ...facts, findings })
  else for (const line of lines) print(line)
  process.exitCode = exitCode
}
