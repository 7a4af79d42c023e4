import { exitCodes } from '@signalbox/contract/command-line.ts'

/** What the commands of people end with, so that a script can tell why. */
export const peopleExitCodes = {
  ...exitCodes,
  /** Of `diff --check`, as Terraform has it: not an error, and not nothing. */
  differs: 2,
  notSignedIn: 3,
  notFound: 4,
  conflict: 5,
  forbidden: 6,
  unavailable: 7,
} as const

export const exitCodesText = `Exit codes: 0 done, 1 failed, 2 wrong usage or configuration. Commands for your work also exit with
3 not signed in, 4 not found, 5 already answered or changed, 6 not allowed, 7 the server can't be reached or is busy.
`
