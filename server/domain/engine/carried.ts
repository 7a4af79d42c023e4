import type { WorkOrder } from '../ports/work.ts'
import type { Memory } from './machine.ts'

/** What an order takes along of what the run remembers. */
export const carriedOf = ({
  plan,
  guidance,
  exceptions,
  restoreSpec,
  base,
  spec,
  work,
  branch,
  merged,
  looksAt,
  agentSession,
  checksMain,
  pushed,
}: Memory) =>
  ({
    job: checksMain ? 'main_check' : pushed ? 'adopt' : 'stage',
    plan,
    guidance,
    exceptions,
    restoreSpec,
    base,
    spec,
    work,
    pushed: branch,
    merged: merged ?? looksAt,
    agentSession,
    toAdopt: pushed,
  }) satisfies Partial<WorkOrder>
