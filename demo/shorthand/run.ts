import type { Gate } from '@signalbox/contract/run.ts'
import type { DemoAttempt, DemoEvidence, DemoVerification } from '../script.ts'

/** Small ways of writing the runs of the demo with less repetition. */

type Course = Omit<DemoAttempt, 'status' | 'stage' | 'verification'>

export const attempt = (
  status: DemoAttempt['status'],
  stage: DemoAttempt['stage'],
  course: Course,
  verification?: DemoVerification,
): DemoAttempt => ({ status, stage, ...course, ...(verification ? { verification } : {}) })

export const succeeded = (course: Course, verification: DemoVerification) =>
  attempt('succeeded', 'handing_off', course, verification)

export const failed = (
  stage: DemoAttempt['stage'],
  failureClass: NonNullable<DemoAttempt['failureClass']>,
  error: string,
  course: Course,
  verification?: DemoVerification,
) => attempt('failed', stage, { ...course, failureClass, error }, verification)

export const verified = (minutesAgo: number, ...gates: Gate[]): DemoVerification => ({
  result: gates.some(({ result }) => result === 'failed') ? 'failed' : 'passed',
  gates,
  verifiedMinutesAgo: minutesAgo,
})

/** What shows that each criterion is met, in the order of the story; one that is not says so. */
export const proofs = (...said: (string | ['failed', string])[]): DemoEvidence['criteria'] =>
  said.map((proof, index) => {
    const id = `ac-${index + 1}`
    return typeof proof === 'string'
      ? { id, result: 'passed', proof }
      : { id, result: proof[0], proof: proof[1] }
  })

export const changed = (
  lines: { additions: number; deletions: number },
  paths: string[],
): DemoEvidence['changes'] => ({ files: paths.length, ...lines, paths })

/** Pull requests of a repository, by number. */
export const pullsOf = (repository: string) => (number: number) => ({
  url: `https://git.example.com/halden/${repository}/pull/${number}`,
  number,
})
