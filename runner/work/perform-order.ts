import type { Work } from '../orders/order-context.ts'
import { adopt } from './adopt.ts'
import { checkMain } from './check-main.ts'
import { handOff } from './hand-off.ts'
import { implement } from './implement.ts'
import { plan } from './plan.ts'
import { survey } from './survey.ts'
import { verify } from './verify.ts'
import type { Workshop } from './workshop.ts'

const stages = { planning: plan, implementing: implement, verifying: verify, handing_off: handOff }

/** Does what an order asks for: a stage of its run, a look at the main branch, a survey, or to bring in what a person has pushed. */
export const performOrderIn =
  (shop: Workshop): Work =>
  (order, context) => {
    if (order.job === 'survey')
      return order.checks ? checkMain(shop, order, context, order.checks) : survey(shop, order, context)
    if (order.job === 'main_check') return checkMain(shop, order, context, order.merged ?? null)
    return (order.job === 'adopt' ? adopt : stages[order.stage])(shop, order, context)
  }
