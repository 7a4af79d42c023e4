/** A source from which deliveries wait. */
export interface WaitingSource {
  sourceId: string
  /** Which of the workspace's locks it has: a hash of its id. */
  lock: number
  /** The services it feeds. */
  services: readonly string[]
}

/** Sources whose deliveries are taken together, in the order of their arrival. No other shard has their locks. */
export interface Shard {
  sources: string[]
  /** In the order in which they are to be taken. */
  locks: number[]
}

/**
 * Divides the sources so that no two shards share a lock or a service. Those that feed the same service stay together
 * because order matters there: an alert of one keeps an incident open in which that of another joins. They could not be
 * worked off side by side in any case, since a service has one open incident.
 */
export function shardsOf(waiting: readonly WaitingSource[]): Shard[] {
  /** For each source one it goes with, up to one that goes with itself. */
  const parents = waiting.map((_, place) => place)
  const rootOf = (place: number): number => {
    let root = place
    while (parents[root] !== root) root = parents[root]!
    for (let at = place; at !== root; ) [at, parents[at]] = [parents[at]!, root]
    return root
  }
  const firstWith = new Map<number | string, number>()
  for (const [place, { lock, services }] of waiting.entries())
    for (const name of [lock, ...services]) {
      const first = firstWith.get(name)
      if (first === undefined) firstWith.set(name, place)
      else parents[rootOf(place)] = rootOf(first)
    }
  const shards = Map.groupBy(waiting.keys(), rootOf)
  return [...shards.values()].map((places) => ({
    sources: places.map((place) => waiting[place]!.sourceId),
    locks: [...new Set(places.map((place) => waiting[place]!.lock))].sort((one, other) => one - other),
  }))
}
