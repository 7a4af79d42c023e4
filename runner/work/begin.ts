import { isolationWith } from '@signalbox/contract/isolation.ts'
import type { OrderContext } from '../orders/order-context.ts'
import type { NamedSite } from './site.ts'
import type { AgentAtWork } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** Says where the work begins from, and how well the agent is isolated. */
export function begin(
  { box }: Workshop,
  context: OrderContext,
  agent: AgentAtWork,
  base: string,
  others: readonly NamedSite[] = [],
): void {
  if (box.isolation.backend === null)
    context.print(
      'There is no box on this machine: git looks at the worktree as the user of the runner, with everything turned off that a repository can set. That is weaker than a box.',
    )
  context.report({
    type: 'begun',
    base,
    isolation: isolationWith(box.isolation, agent.executor.access, agent.modelTools),
    agent: agent.executor,
    ...(others.length > 0 ? { others: others.map((other) => ({ name: other.name, base: other.base })) } : {}),
  })
}
