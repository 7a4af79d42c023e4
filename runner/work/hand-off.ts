import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Access, Store } from '../git/git.ts'
import { isPermanentFailure } from '../git/permanent-failure.ts'
import { type OrderContext, RepositoryRefused, WorkFailed } from '../orders/order-context.ts'
import { withGitCredential } from './git-credential.ts'
import { forgetHomes, forgetParked, openSite } from './site.ts'
import type { Workshop } from './workshop.ts'

/** Pushes the one commit that was verified, to a branch of the attempt's own. */
export async function handOff(shop: Workshop, order: Order, context: OrderContext): Promise<void> {
  if (!order.work) throw new WorkFailed('There is no change to hand off.', 'persistent')
  const { store, head } = await openSite(shop, order, context)
  context.phase('pushing')
  await context.mayPush()
  const name = await withGitCredential(
    context,
    'write',
    async (access) =>
      (await pushedBefore(store, access, order, head)) ?? (await push(store, access, order, head)),
  )
  context.print(`Pushed ${head.slice(0, 12)} to ${name}.`)
  context.report({ type: 'finished', branch: { name, head } })
  await store.letGo()
  await forgetParked(shop, order.run)
  await forgetHomes(shop, order.run)
}

const branchOf = ({ run }: Order, attempt: number) => `signalbox/${run}/${attempt}`

/** The branch to which this commit went under an order that could not say so any more. It is not pushed again. */
async function pushedBefore(
  store: Store,
  access: Access,
  order: Order,
  head: string,
): Promise<string | null> {
  for (let attempt = order.attempt; attempt >= 1; attempt -= 1)
    if ((await tipOf(store, access, branchOf(order, attempt))) === head) return branchOf(order, attempt)
  return null
}

/** Replaces nothing but what this run has pushed itself. */
async function push(store: Store, access: Access, order: Order, head: string): Promise<string> {
  const name = branchOf(order, order.attempt)
  const there = await tipOf(store, access, name)
  if (there !== null && !(order.pushed?.name === name && order.pushed.head === there))
    throw new WorkFailed(
      `The branch ${name} is at ${there.slice(0, 12)}, which this run did not push. It was left as it is.`,
      'persistent',
    )
  await store.push(access, head, name, there).catch((error: Error) => {
    throw isPermanentFailure(error)
      ? new RepositoryRefused(`The branch ${name} cannot be pushed: ${error.message}`)
      : new WorkFailed(`The branch ${name} could not be pushed: ${error.message}`, 'transient')
  })
  return name
}

const tipOf = (store: Store, access: Access, name: string): Promise<string | null> =>
  store.tip(access, name).catch((error: Error) => {
    throw new WorkFailed(`The branch ${name} could not be checked: ${error.message}`, 'transient')
  })
