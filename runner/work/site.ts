import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Store } from '../git/git.ts'
import { Unacceptable } from '../git/worktree.ts'
import { type Hands, WorkFailed } from '../orders/hands.ts'
import { withWayIn } from './way-in.ts'
import type { Workshop } from './workshop.ts'

/** Where an order is worked: the repository's objects, and the commits that matter. */
export interface Site {
  store: Store
  /** Where the run began. */
  base: string
  /** Where it has got to; the base while nothing was made. */
  head: string
}

/** Brings the repository here, with what the run has made so far. */
export async function openSite(
  shop: Workshop,
  order: Pick<Order, 'run' | 'repository' | 'base' | 'work'>,
  hands: Hands,
): Promise<Site> {
  hands.phase('fetching')
  const store = await shop.storeOf(order)
  const tip = await withWayIn(hands, 'read', (access) =>
    store.fetch(access, order.repository.branch).catch((error: Error) => {
      throw new WorkFailed(`The repository could not be fetched: ${error.message}`, 'transient')
    }),
  )
  const base = order.base ?? tip
  if (order.work) await store.unbundle(await hands.fetchFile(order.work.bundle), order.work.head)
  return { store, base, head: order.work?.head ?? base }
}

/** What was made so far, uploaded for whoever goes on. */
export async function keepWork({ store, base }: Site, hands: Hands, head: string) {
  const file = path.join(hands.folder, `${head}.bundle`)
  await store.bundle(base, head, file).catch((error: Error) => {
    throw error instanceof Unacceptable
      ? new WorkFailed(`The change was refused. ${error.message}`, 'policy')
      : error
  })
  return { base, head, bundle: await hands.keep(file) }
}

const parkedFile = (shop: Workshop, run: string) => path.join(shop.data, 'parked', `${run}.json`)

/** A run that is stopped in the middle goes on from here, if it comes back to this machine. */
export async function park(
  shop: Workshop,
  { run, work }: Order,
  { store, base }: Site,
  head: string,
): Promise<void> {
  // Another order may use the worktree in between, and then nothing else leads to it.
  await store.hold(head)
  const file = parkedFile(shop, run)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify({ base, from: work?.head ?? null, head }))
  await rename(`${file}.new`, file)
}

export const forgetParked = (shop: Workshop, run: string): Promise<void> =>
  rm(parkedFile(shop, run), { force: true })

/** The agent has nothing more to do for this run. */
export const forgetHome = async (shop: Workshop, run: string): Promise<void> => {
  await shop.trash.put(path.join(shop.data, 'homes', run))
}

/** The site as a run was stopped in it, where this order begins from the same as the one that was stopped. */
export async function takenUp(shop: Workshop, { run, work }: Order, site: Site): Promise<Site> {
  try {
    const { base, from, head } = JSON.parse(await readFile(parkedFile(shop, run), 'utf8'))
    const isSame = base === site.base && from === (work?.head ?? null)
    return isSame && (await site.store.has(head)) ? { ...site, head } : site
  } catch {
    return site
  }
}
