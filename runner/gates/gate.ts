import type { Gate as GateResult } from '@signalbox/contract/run.ts'
import type { ReportPlace, Tests } from '../reports/report.ts'

/** What is run to see whether a commit holds. */
export interface GateDefinition {
  name: string
  run: string
  /** Relative to the root; `.` is the root. */
  folder: string
  timeoutSeconds: number
  report: ReportPlace['report']
  network: 'none' | 'registries'
}

/** How a project is prepared and measured. */
export interface GatePlan {
  setUp: GateDefinition[]
  gates: GateDefinition[]
  /** `.kanman/gates.yml` of the base, or the rule that was followed; null: nothing was recognised. */
  from: string | null
}

/** What a gate came to, with what is told about it and kept for later. */
export interface GateRun {
  name: string
  result: GateResult['result']
  summary: string
  exitCode: number | null
  seconds: number
  /** Everything it printed, cut in the middle when it is too long. */
  output: string
  tests: Tests | null
  /** Names of tests that failed, as far as its report has them. */
  failures: string[]
  /** Names of those that passed, as far as its report has them. */
  passes?: string[]
}
