import type { Gate as GateResult } from '@signalbox/contract/run.ts'

export const reportKinds = ['junit', 'tap', 'sarif', 'go'] as const

/** What is run to see whether a commit holds. */
export interface GateDefinition {
  name: string
  run: string
  /** Relative to the root; `.` is the root. */
  folder: string
  timeoutSeconds: number
  /** `path` is relative to the folder, may have stars, and null means: what it prints. */
  report: { kind: (typeof reportKinds)[number]; path: string | null } | null
  network: 'none' | 'registries'
}

/** How a project is prepared and measured. */
export interface GatePlan {
  setUp: GateDefinition[]
  gates: GateDefinition[]
  /** `.kanman/gates.yml` of the base, or the rule that was followed; null: nothing was recognised. */
  from: string | null
}

/** What a gate came to, with what is told of it and kept for later. */
export interface GateRun {
  name: string
  result: GateResult['result']
  summary: string
  exitCode: number | null
  seconds: number
  /** Everything it printed, cut in the middle when it is too long. */
  output: string
  tests: { passed: number; failed: number; skipped: number } | null
  /** Names of tests that failed, as far as its report has them. */
  failures: string[]
}
