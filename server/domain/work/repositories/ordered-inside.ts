import type { AnyOrder } from '@signalbox/contract/runner/messages.ts'
import type { TeamRepository } from '../../ports/git-host.ts'

/** What an order says of what its work runs in: nothing, where that is the runner's own tools. */
export function orderedInside({
  inside = 'tools',
  image,
}: Pick<TeamRepository, 'inside' | 'image'>): Pick<AnyOrder, 'inside'> {
  if (inside === 'devcontainer') return { inside: { kind: 'devcontainer' } }
  return inside === 'image' && image ? { inside: { kind: 'image', image } } : {}
}
