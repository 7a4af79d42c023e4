import { applyRetention } from '../domain/installation/retention/apply.ts'
import { every } from '../infra/every.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { onOneNode } from './on-one-node.ts'
import type { Base, Part } from './parts.ts'

const hour = 3_600_000
/** Held by the node that removes, for as long as it does. */
const retentionLock = 4423

/** Removes what is older than it is kept for, once an hour. */
export const startRetention = (base: Omit<Base, 'metrics'>): Part =>
  every(hour, 'remove what is too old', base.log, () => removeOld(base))

/** Returns how many rows went; null: another node is at it, and would only be waited for row by row. */
export const removeOld = ({
  config: { retention },
  clock,
  storage: { db, direct },
}: Pick<Base, 'config' | 'clock' | 'storage'>): Promise<number | null> =>
  onOneNode(direct, { lock: retentionLock, name: 'retention' }, () =>
    applyRetention({ db, clock, queue: silentQueue }, retention),
  )
