import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Box } from '../../../box/box.ts'
import { readConfig } from '../../../config.ts'
import { openWorkshop, registrationOf } from '../../../equipment.ts'
import type { OrderContext, Usage } from '../../../orders/order-context.ts'
import { runAsProcess } from '../../../process.ts'
import { performOrderIn } from '../../../work/perform-order.ts'

interface Lie {
  /** Instead of the box that there is. */
  box?: Box
  /** What is told instead of a report. */
  tells?: (event: RunnerEvent) => RunnerEvent[]
}

/** Our own runner, but for one thing: what the kit must find. */
export async function runLying({ box, tells = (event) => [event] }: Lie): Promise<never> {
  const config = readConfig(process.argv.slice(2), process.env)
  const opened = await openWorkshop(config, process.env)
  const workshop = { ...opened, ...(box ? { box } : {}) }
  const work = performOrderIn(workshop)
  const exitCode = await runAsProcess(config, {
    ...registrationOf(workshop),
    work: (order, context) => work(order, told(context, tells)),
    ...{ trash: workshop.trash, tidy: workshop.tidy },
  })
  process.exit(exitCode)
}

const told = (context: OrderContext, tells: NonNullable<Lie['tells']>): OrderContext =>
  new Proxy(context, {
    get(target, name) {
      if (name === 'report')
        return (event: RunnerEvent) => tells(event).forEach((each) => void target.report(each))
      if (name === 'reserve')
        return (most: Usage) => {
          const settle = target.reserve(most)
          return (cost: Usage | null) => {
            const [first, ...more] = cost ? tells(cost) : []
            settle((first as Usage | undefined) ?? null)
            for (const each of more) target.report(each)
          }
        }
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
