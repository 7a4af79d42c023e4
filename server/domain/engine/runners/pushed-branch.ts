import type { RunnerOrder } from '../orders/find-order.ts'

/** The one branch that an order may push to, which is its attempt's; null where it has nothing to push. */
export const pushedBranch = ({ job, stage, run, attempt }: RunnerOrder): string | null =>
  job === 'stage' && stage === 'handing_off' ? `signalbox/${run}/${attempt}` : null
