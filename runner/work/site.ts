import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Store } from '../git/git.ts'
import { isPermanentFailure } from '../git/permanent-failure.ts'
import { Unacceptable } from '../git/worktree.ts'
import { type OrderContext, RepositoryRefused, WorkFailed } from '../orders/order-context.ts'
import { withGitCredential } from './git-credential.ts'
import type { Workshop } from './workshop.ts'

/** Where an order is worked: the repository's objects, and the commits that matter. */
export interface Site {
  store: Store
  /** Where the run began. */
  base: string
  /** Where it has got to; the base while nothing was made. */
  head: string
}

/** One of the other repositories of an order, by its name. */
export interface NamedSite extends Site {
  name: string
}

/** The other repositories of an order that is about several, each with what the run has made there so far. */
export async function openOthers(shop: Workshop, order: Order, context: OrderContext): Promise<NamedSite[]> {
  const sites: NamedSite[] = []
  for (const { name, base, work, ...where } of order.others ?? []) {
    const other = { run: order.run, repository: { name, ...where }, base, work }
    sites.push({ name, ...(await openSite(shop, other, context, name)) })
  }
  return sites
}

/** Brings the repository here, with what the run has made so far. `named`: it is one of the others. */
export async function openSite(
  shop: Workshop,
  order: Pick<Order, 'run' | 'repository' | 'base' | 'work'>,
  context: OrderContext,
  named?: string,
): Promise<Site> {
  context.phase('fetching')
  const store = await shop.storeOf(order)
  const tip = await withGitCredential(
    context,
    'read',
    (access) =>
      store.fetch(access, order.repository.branch).catch((error: Error) => {
        const which = named === undefined ? 'The repository' : named
        throw isPermanentFailure(error)
          ? new RepositoryRefused(`${which} cannot be read: ${error.message}`)
          : new WorkFailed(`${which} could not be fetched: ${error.message}`, 'transient')
      }),
    named,
  )
  const base = order.base ?? tip
  if (order.work) await store.unbundle(await context.fetchFile(order.work.bundle), order.work.head)
  return { store, base, head: order.work?.head ?? base }
}

/** What was made so far, uploaded so that another runner can continue. */
export async function keepWork({ store, base }: Site, context: OrderContext, head: string) {
  const file = path.join(context.folder, `${head}.bundle`)
  await store.bundle(base, head, file).catch((error: Error) => {
    throw error instanceof Unacceptable
      ? new WorkFailed(`The change was refused. ${error.message}`, 'policy')
      : error
  })
  return { base, head, bundle: await context.keep(file) }
}

const parkedFile = (shop: Workshop, run: string) => path.join(shop.data, 'parked', `${run}.json`)

/** A run that is stopped in the middle goes on from here, if it comes back to this machine. */
export async function park(
  shop: Workshop,
  order: Order,
  { store, base }: Site,
  head: string,
  others: readonly (NamedSite & { made: string })[] = [],
): Promise<void> {
  // Another order may use the worktree in between, and then nothing else leads to it.
  await store.hold(head)
  for (const other of others) await other.store.hold(other.made)
  const file = parkedFile(shop, order.run)
  await mkdir(path.dirname(file), { recursive: true })
  const parked = {
    ...{ base, from: order.work?.head ?? null, head, agent: order.executor },
    others: others.map((other) => ({
      ...{ name: other.name, base: other.base, from: fromOf(order, other.name), head: other.made },
    })),
  }
  await writeFile(`${file}.new`, JSON.stringify(parked))
  await rename(`${file}.new`, file)
}

/** What a repository of the order begins from; of the first where none is named. */
const fromOf = ({ work, others = [] }: Order, name?: string): string | null =>
  (name === undefined ? work : others.find((other) => other.name === name)?.work)?.head ?? null

export const forgetParked = (shop: Workshop, run: string): Promise<void> =>
  rm(parkedFile(shop, run), { force: true })

const homesOf = (shop: Workshop, run: string) => path.join(shop.data, 'homes', run)

/** Of the agent that works on it: in a race there are two, and neither finds what the other has left. */
export const homeOf = (shop: Workshop, { run, executor }: Pick<Order, 'run' | 'executor'>): string =>
  path.join(homesOf(shop, run), executor)

/** No agent has anything more to do for this run. */
export const forgetHomes = async (shop: Workshop, run: string): Promise<void> => {
  await shop.trash.put(homesOf(shop, run))
}

/** The site as a run was stopped in it, where this order begins from the same as the one that was stopped. */
export async function resumeSite<S extends Site & { name?: string }>(
  shop: Workshop,
  order: Order,
  site: S,
): Promise<S> {
  try {
    const parked = JSON.parse(await readFile(parkedFile(shop, order.run), 'utf8'))
    const { base, from, head } =
      site.name === undefined
        ? parked
        : (parked.others ?? []).find((other: { name: string }) => other.name === site.name)
    // In a race the next agent begins where the first began, not where it stopped.
    const isAgents = (parked.agent ?? order.executor) === order.executor
    const isSame = isAgents && base === site.base && from === fromOf(order, site.name)
    return isSame && (await site.store.has(head)) ? { ...site, head } : site
  } catch {
    return site
  }
}
