import type { Provider } from '@pydantic/genai-prices'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Agent } from '../agents/agent.ts'
import type { SignIn } from '../agents/sign-in.ts'
import type { Box } from '../box/box.ts'
import type { Trash } from '../disk/trash.ts'
import type { BaseRuns } from '../gates/base-runs.ts'
import type { Upstreams } from '../gateway/apis.ts'
import type { Store } from '../git/git.ts'
import type { Identity } from '../identity/identity.ts'
import type { Images } from '../images/images.ts'

/** What this machine brings to every order. */
export interface Workshop {
  agents: Agent[]
  /** What agents, gates and specs run in. */
  box: Box
  /**
   * The same with nothing but the machine's own programs inside: what the runner itself does in a box, it does here.
   */
  ownBox: Box
  /** Null: this machine can't put an image into a box. */
  images: Pick<Images, 'open'> | null
  /** Where trees that agents have written to are removed from. */
  trash: Trash
  upstreams: Upstreams
  /**
   * What an agent signs in with on its own, where there is no key for it and the operator allows it. Read for each
   * order.
   */
  signInOf(executor: Order['executor']): SignIn | null
  prices: readonly Provider[]
  /** Hosts that set-up may reach. */
  registries: readonly string[]
  /** The repository of an order as its run sees it, kept from order to order. */
  storeOf(order: Pick<Order, 'repository' | 'run'>): Promise<Store>
  /** Folders with programs that projects need, in addition to those of the system. */
  toolchains: readonly string[]
  /** What gates came to on commits that runs began from. */
  baseRuns: BaseRuns
  /** For what outlives an order: where a stopped run had got to. */
  data: string
  /** Null: the agent's own default. */
  modelFor(executor: Order['executor']): string | null
  /** Who this runner is, and what it signs evidence with. */
  identity: Identity
  version: string
  /** Looks after what lies on the disk. */
  tidy(): Promise<void>
}
