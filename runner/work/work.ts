import type { Work } from '../orders/hands.ts'
import { checkMain } from './check-main.ts'
import { handOff } from './hand-off.ts'
import { implement } from './implement.ts'
import { plan } from './plan.ts'
import { survey } from './survey.ts'
import { verify } from './verify.ts'
import type { Workshop } from './workshop.ts'

const stages = { planning: plan, implementing: implement, verifying: verify, handing_off: handOff }

/** Does what an order asks for: a stage of its run, a look at the main branch, or a survey of the repository. */
export const workIn =
  (shop: Workshop): Work =>
  (order, hands) => {
    if (order.job === 'survey') return survey(shop, order, hands)
    return order.job === 'main_check'
      ? checkMain(shop, order, hands)
      : stages[order.stage](shop, order, hands)
  }
