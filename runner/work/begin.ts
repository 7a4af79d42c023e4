import { isolationWith } from '@signalbox/contract/isolation.ts'
import type { Hands } from '../orders/hands.ts'
import type { AgentAtWork } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** Says where the work begins from, and what holds whoever does it. */
export function begin({ box }: Workshop, hands: Hands, agent: AgentAtWork, base: string): void {
  hands.report({
    type: 'begun',
    base,
    isolation: isolationWith(box.isolation, agent.executor.access),
    agent: agent.executor,
  })
}
