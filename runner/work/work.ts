import { type Work, WorkFailed } from '../orders/hands.ts'

/** Does what an order asks for: one function for each stage, and the look at the main branch. */
export const doWork: Work = async (order) => {
  const what = order.job === 'stage' ? order.stage : order.job
  throw new WorkFailed(`This runner cannot do ${what} with ${order.executor}.`, 'dependency')
}
