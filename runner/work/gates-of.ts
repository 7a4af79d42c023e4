import type { GatePlan } from '../gates/gate.ts'
import { GatesFileError } from '../gates/gates-file.ts'
import { planGates } from '../gates/plan.ts'
import type { Store } from '../git/git.ts'
import { WorkFailed } from '../orders/order-context.ts'

/** How a commit is measured. A file of gates that cannot be followed ends the order with what is wrong in it. */
export const gatesOf = (store: Store, commit: string): Promise<GatePlan> =>
  planGates(store, commit).catch((error) => {
    throw error instanceof GatesFileError ? new WorkFailed(error.message, 'persistent') : error
  })
