import { isolationLevelOf, isolationLevels, isolationWith } from '@signalbox/contract/isolation.ts'
import type { Isolation, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { Means } from './claim-store.ts'

/** Which orders a runner can be given by how well it keeps each of its agents in. */
export const capabilitiesOf = ({
  executors,
  isolation,
}: {
  executors: readonly RunnerExecutor[]
  isolation: Isolation
}): Means['capabilities'] =>
  executors.flatMap(({ name, access }) => {
    const level = isolationLevelOf(isolationWith(isolation, access))
    const held = isolationLevels.slice(0, isolationLevels.indexOf(level) + 1)
    return held.map((each) => ({ executor: name, level: each }))
  })
