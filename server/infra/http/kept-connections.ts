import { Agent, type ClientRequestArgs } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Address } from './reach.ts'

/** Shorter than most servers wait, so that it is mostly we who close. */
const idleMs = 4_000

/** What a call says about where its connection may lead. */
export interface Pinned {
  /** The addresses that were checked for this call; null where any will do. */
  pinned: readonly Address[] | null
}

type Asked = ClientRequestArgs & Partial<Pinned>

/** By what a kept connection is found: what Node takes into account, and the addresses. */
const nameOf = (usual: string, { pinned }: Partial<Pinned> = {}): string => {
  const addresses = pinned?.map(({ address }) => address).sort()
  return `${usual} ${addresses?.join() ?? 'anywhere'}`
}

class PlainAgent extends Agent {
  override getName(asked?: Asked): string {
    return nameOf(super.getName(asked), asked)
  }
}

class SecureAgent extends TlsAgent {
  override getName(asked?: Asked): string {
    return nameOf(super.getName(asked), asked)
  }
}

/**
 * Connections that are kept for the next call, and found again only by a call to the same host, under the same terms,
 * that was checked to lead to just the same addresses: what a name server says today opens no way that was checked
 * yesterday, nor the other way round.
 */
export function keptConnections() {
  const options = { keepAlive: true, timeout: idleMs, scheduling: 'lifo' } as const
  return { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) }
}
