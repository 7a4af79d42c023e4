import type { Order } from '@signalbox/contract/runner/messages.ts'
import { type Hands, WorkFailed } from '../orders/hands.ts'
import { forgetHome, forgetParked, openSite } from './site.ts'
import type { Workshop } from './workshop.ts'

/** Pushes the one commit that was verified, to a branch of the attempt's own. */
export async function handOff(shop: Workshop, order: Order, hands: Hands): Promise<void> {
  if (!order.work) throw new WorkFailed('There is no change to hand off.', 'persistent')
  const { store, head } = await openSite(shop, order, hands)
  const name = `signalbox/${order.run}/${order.attempt}`
  hands.phase('pushing')
  await hands.mayPush()
  const access = await hands.credential('write')
  // Pushed already, by an order that could not say so any more: the same commit is there.
  const there = await store.fetch(access, name).catch(() => null)
  if (there !== head) {
    await store.push(access, head, name, there).catch((error: Error) => {
      throw new WorkFailed(`The branch ${name} could not be pushed: ${error.message}`, 'transient')
    })
  }
  hands.print(`Pushed ${head.slice(0, 12)} to ${name}.`)
  hands.report({ type: 'finished', branch: { name, head } })
  await forgetParked(shop, order.run)
  await forgetHome(shop, order.run)
}
