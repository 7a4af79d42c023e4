import type { WorkOrder } from '../../ports/work.ts'
import type { Memory } from '../machine/machine.ts'
import { partsOf, pathsWithin, specInTurn } from '../machine/parts.ts'

/** What an order takes along of what the run remembers: of several repositories, about the one whose turn it is. */
export const payloadOf = (memory: Memory) => {
  const { checksMain, pushed, plan, guidance, restoreSpec, base, work, branch, merged, looksAt } = memory
  return {
    job: checksMain ? 'main_check' : pushed ? 'adopt' : 'stage',
    plan,
    guidance: [...guidance, ...(memory.race?.findings ?? [])],
    exceptions: memory.exceptions,
    restoreSpec,
    base,
    spec: memory.spec,
    work,
    pushed: branch,
    merged: merged ?? looksAt,
    agentSession: memory.agentSession,
    toAdopt: pushed,
  } satisfies Partial<WorkOrder>
}

/** The same in the words of one of several repositories: where the others have no say, they are not spoken of. */
export function payloadOfPart(memory: Memory, stage: WorkOrder['stage']): Partial<WorkOrder> {
  if (memory.parts.length === 0) return {}
  const isAboutAll = !memory.checksMain && (stage === 'planning' || stage === 'implementing')
  if (isAboutAll)
    return {
      others: partsOf(memory)
        .filter(({ name }) => name !== memory.at)
        .map(({ name, base, work }) => ({ name, base, work })),
    }
  return {
    exceptions: pathsWithin(memory, memory.at!, memory.exceptions),
    spec: specInTurn(memory, memory.spec),
  }
}
